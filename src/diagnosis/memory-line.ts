/** What a line says of the memory that is in use: of the accelerators, where it does not name another. */

const NUMBER = /(\d{1,9}(?:\.\d{1,6})?)/.source;
const UNIT = /%|[kMGT]i?B?/.source;
/** `memory`, `max mem`, `GPU_mem`, `memory/max_active (GiB)`. */
const NAME =
  /(?:(?:gpu|cuda|hbm|vram|peak|max)[ _/]){0,2}mem(?:ory)?(?:[ _/](?:used|usage|use|alloc|allocated|reserved|active|max|max_active|max_allocated|max_reserved)){0,2}/
    .source;
const IS = /['"]?(?: {0,3}[:=|] {0,3}| {1,3})['"]?/.source;
const MEMORY = new RegExp(
  `(?<![\\w/-])${NAME}(?: ?[([](${UNIT})[)\\]])?${IS}${NUMBER} ?(${UNIT})?(?![\\w.])(?: ?\\(${NUMBER}%\\))?`,
  'i',
);
/** Another memory, or the part of it that is not in use. */
const OTHER = /(?:cpu|host|ram|system|virtual|shared|pinned|free|available|avail|total|limit)[ _/-]?$/i;
const BEFORE_CHARS = 12;

/** `93.9%` where it says a share, else as much as it says, such as `44.6GiB`; null where it says nothing. */
export function memoryIn(line: string): string | null {
  const match = MEMORY.exec(line);
  if (match === null || OTHER.test(line.slice(Math.max(0, match.index - BEFORE_CHARS), match.index)))
    return null;
  const [, named, value = '', unit = named, share] = match;
  if (share !== undefined || unit === '%') return shareOf(Number(share ?? value));
  // torchvision's and OpenMMLab's loggers print whole MB without saying so; no other number without a unit says anything.
  if (unit === undefined) return /^\d{3,}$/.test(value) ? `${value}MB` : null;
  return `${Number(Number(value).toPrecision(4))}${/b$/i.test(unit) ? unit : `${unit}B`}`;
}

/** A share as it is recorded; null for what is none. */
export function shareOf(percent: number): string | null {
  return percent >= 0 && percent <= 100 ? `${Number(percent.toPrecision(3))}%` : null;
}

// What frameworks print beside their training lines.
const WHOLE = /(\d{1,9})(?:\.\d{1,16})?/.source;
const DECIMAL = /(\d{1,9}(?:\.\d{1,16})?)/.source;

/** As `--log-memory` of Megatron-LM and `see_memory_usage` of DeepSpeed say it, the most that was in use. */
const MEGATRON = new RegExp(`memory \\(MB\\) \\| allocated: ${WHOLE} \\| max allocated: ${WHOLE} `);
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
