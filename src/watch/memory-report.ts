/** What a line says of the memory of the accelerators that is no training line: what frameworks print beside them. */

import { shareOf } from './memory-line.ts';

const NUMBER = /(\d{1,9})(?:\.\d{1,16})?/.source;
const DECIMAL = /(\d{1,9}(?:\.\d{1,16})?)/.source;

/** As `--log-memory` of Megatron-LM and `see_memory_usage` of DeepSpeed say it, the most that was in use. */
const MEGATRON = new RegExp(`memory \\(MB\\) \\| allocated: ${NUMBER} \\| max allocated: ${NUMBER} `);
const DEEPSPEED = new RegExp(`\\bMA ${DECIMAL} GB {1,16}Max_MA ${DECIMAL} GB`);
/** `Memstats` of MaxText, one line a device. */
const MAXTEXT = new RegExp(`Using \\(GB\\) ${DECIMAL} / ${DECIMAL} \\(${DECIMAL}%\\)`);
/** The row of a GPU in the table of nvidia-smi. */
const NVIDIA_SMI = /\| {1,8}(\d{1,7})MiB \/ {1,4}(\d{1,7})MiB \|/;
/** `memory_stats()` of a device of JAX. */
const JAX_USED = /(?<![a-z_])bytes_in_use['"]?: ?(\d{1,15})\b/;
const JAX_LIMIT = /(?<![a-z_])bytes_limit['"]?: ?(\d{1,15})\b/;
/** The memory monitor of Composer, in gigabytes. */
const COMPOSER = new RegExp(
  `memory/(?:peak|current)_(?:allocated|active|reserved)_mem: ${DECIMAL}(?![\\w.])`,
);

/** `93.9%` where the whole is told, else as much as it says, such as `11246MB`; null where it says nothing. */
export function memoryReportIn(line: string): string | null {
  const megatron = MEGATRON.exec(line);
  if (megatron !== null) return `${Number(megatron[2])}MB`;
  const gigabytes = DEEPSPEED.exec(line)?.[2] ?? COMPOSER.exec(line)?.[1];
  if (gigabytes !== undefined) return `${Number(Number(gigabytes).toPrecision(4))}GB`;
  const maxtext = MAXTEXT.exec(line)?.[3];
  if (maxtext !== undefined) return shareOf(Number(maxtext));
  const smi = NVIDIA_SMI.exec(line);
  if (smi !== null) return ofWhole(smi[1], smi[2]);
  const used = JAX_USED.exec(line)?.[1];
  return used === undefined ? null : ofWhole(used, JAX_LIMIT.exec(line)?.[1]);
}

function ofWhole(used: string | undefined, whole: string | undefined): string | null {
  return Number(whole) > 0 ? shareOf((100 * Number(used)) / Number(whole)) : null;
}
