/** What each trainer and library prints beside its training lines, one row for each of them. */

import { shareOf } from './memory-line.ts';

type TrainerFormat = {
  readonly name: string;
  /** Each line that a pattern of the row matches holds one of these, in capitals or not: ASCII, at least four characters. */
  readonly words: readonly string[];
  /** The exact number of all steps. */
  readonly totalSteps?: RegExp;
  readonly firstStep?: RegExp;
  /** A complete checkpoint: its path and its step. */
  readonly saved?: RegExp;
  readonly saving?: RegExp;
  /** The path of the checkpoint that it loads. */
  readonly resumed?: RegExp;
  /** Memory in use: `mb`, `gb` or `percent`, or `used` of the `whole`. */
  readonly memory?: RegExp;
};

export const TRAINERS: readonly TrainerFormat[] = [
  {
    name: 'Levanter',
    words: [
      ...['First train step completed', 'Saved checkpoint to ', 'Saving checkpoint at'],
      ...['Saving temporary checkpoint', 'Loading checkpoint from '],
    ],
    firstStep: /First train step completed/,
    saved: /Saved checkpoint to (\S+) for step (\d+)\b/,
    saving: /Saving (?:temporary )?checkpoint at step \d/,
    resumed: /Loading checkpoint from (\S+)/,
  },
  {
    name: 'Hugging Face',
    words: ['optimization steps'],
    totalSteps: /Total optimization steps ?= ?(\d[\d,]{0,14})(?![\d,])/,
  },
  {
    name: 'Megatron-LM',
    words: ['max allocated: '],
    memory:
      /memory \(MB\) \| allocated: \d{1,9}(?:\.\d{1,16})? \| max allocated: (?<mb>\d{1,9})(?:\.\d{1,16})? /,
  },
  {
    name: 'DeepSpeed',
    words: ['Max_MA '],
    memory: /\bMA \d{1,9}(?:\.\d{1,16})? GB {1,16}Max_MA (?<gb>\d{1,9}(?:\.\d{1,16})?) GB/,
  },
  {
    name: 'Composer',
    words: ['memory/peak_', 'memory/current_'],
    memory:
      /memory\/(?:peak|current)_(?:allocated|active|reserved)_mem: (?<gb>\d{1,9}(?:\.\d{1,16})?)(?![\w.])/,
  },
  {
    name: 'MaxText',
    words: ['Using (GB) '],
    memory:
      /Using \(GB\) \d{1,9}(?:\.\d{1,16})? \/ \d{1,9}(?:\.\d{1,16})? \((?<percent>\d{1,9}(?:\.\d{1,16})?)%\)/,
  },
  {
    name: 'nvidia-smi',
    words: ['MiB / '],
    memory: /\| {1,8}(?<used>\d{1,7})MiB \/ {1,4}(?<whole>\d{1,7})MiB \|/,
  },
  {
    name: 'JAX, memory_stats() of a device',
    words: ['bytes_in_use'],
    memory: /(?<![a-z_])bytes_in_use['"]?: ?(?<used>\d{1,15})\b/,
  },
];

/** What the first row with this pattern finds in the line. */
export function trainerSays(
  what: Exclude<keyof TrainerFormat, 'name' | 'words'>,
  line: string,
): RegExpExecArray | null {
  for (const trainer of TRAINERS) {
    const found = trainer[what]?.exec(line) ?? null;
    if (found !== null) return found;
  }
  return null;
}

const JAX_LIMIT = /(?<![a-z_])bytes_limit['"]?: ?(\d{1,15})\b/;

/** `93.9%` if the line names the whole, else as it says, such as `11246MB`; null if it says nothing. */
export function memoryReportIn(line: string): string | null {
  const {
    mb,
    gb,
    percent,
    used,
    whole = JAX_LIMIT.exec(line)?.[1],
  } = trainerSays('memory', line)?.groups ?? {};
  if (mb !== undefined) return `${Number(mb)}MB`;
  if (gb !== undefined) return `${Number(Number(gb).toPrecision(4))}GB`;
  return shareOf(Number(percent ?? (100 * Number(used)) / Number(whole)));
}
