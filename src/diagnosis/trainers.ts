/** Formats of the training lines that trainers and libraries print, one row per trainer. */

const NUMBER = /(\d{1,9}(?:\.\d{1,6})?)/.source;
const UNIT = /%|[kMGT]i?B?/.source;
/** `memory`, `max mem`, `GPU_mem`, `memory/max_active (GiB)`. */
const NAME =
  /(?:(?:gpu|cuda|hbm|vram|peak|max)[ _/]){0,2}mem(?:ory)?(?:[ _/](?:used|usage|use|alloc|allocated|reserved|active|max|max_active|max_allocated|max_reserved)){0,2}/
    .source;
const MEMORY_IS = /['"]?(?: {0,3}[:=|] {0,3}| {1,3})['"]?/.source;
const MEMORY = new RegExp(
  `(?<![\\w/-])${NAME}(?: ?[([](${UNIT})[)\\]])?${MEMORY_IS}${NUMBER} ?(${UNIT})?(?![\\w.])(?: ?\\(${NUMBER}%\\))?`,
  'i',
);
/** Another kind of memory, or the unused part. */
const OTHER = /(?:cpu|host|ram|system|virtual|shared|pinned|free|available|avail|total|limit)[ _/-]?$/i;
const BEFORE_CHARS = 12;

/** A share such as `93.9%` if the line has one, otherwise the amount, such as `44.6GiB`; null if it has neither. */
function memoryIn(line: string): string | null {
  const match = MEMORY.exec(line);
  if (match === null || OTHER.test(line.slice(Math.max(0, match.index - BEFORE_CHARS), match.index)))
    return null;
  const [, named, value = '', unit = named, share] = match;
  if (share !== undefined || unit === '%') return shareOf(Number(share ?? value));
  // torchvision's and OpenMMLab's loggers print whole MB without a unit. Ignore other numbers without a unit.
  if (unit === undefined) return /^\d{3,}$/.test(value) ? `${value}MB` : null;
  return `${Number(Number(value).toPrecision(4))}${/b$/i.test(unit) ? unit : `${unit}B`}`;
}

/** A share in the recorded format; null if it is out of range. */
export function shareOf(percent: number): string | null {
  return percent >= 0 && percent <= 100 ? `${Number(percent.toPrecision(3))}%` : null;
}

type TrainerFormat = {
  readonly name: string;
  /** Every line that a pattern of this row matches contains one of these words, in any case: ASCII, at least four characters. */
  readonly words: readonly string[];
  /** The exact total number of steps. */
  readonly totalSteps?: RegExp;
  readonly firstStep?: RegExp;
  /** A complete checkpoint: its path and its step. */
  readonly saved?: RegExp;
  readonly saving?: RegExp;
  /** The path of the loaded checkpoint. */
  readonly resumed?: RegExp;
  /** Used memory in group `mb`, `gb` or `percent`, or `used` out of `whole`. */
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

/** The match of the first row that has this pattern and matches. */
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

/** A share such as `93.9%` if the line names the total, otherwise the amount, such as `11246MB`; null if there is none. */
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

/**
 * A count as the bar shows it: three significant digits, so `5.16kit` is 5155 ± 5. `exact` only without a unit prefix, that is below 1,000,
 * or if the first line prints the full total.
 */
export type ShownCount = { readonly value: number; readonly exact: boolean };

/** A measure as printed, which preserves its precision; includes `nan` and `inf`. */
export type MeasureName =
  | 'loss'
  | 'grad-norm'
  | 'z-loss'
  | 'router-entropy'
  | 'expert-load'
  | 'gpu-use'
  | 'mfu';

/**
 * `work`: what the line counts. `unnamed`: the bar has no name; it counts training steps if its total equals the training total. `other`:
 * loading, generating, or an eval of an unknown trainer.
 */
export type TrainingLine = {
  readonly work: 'training' | 'eval' | 'unnamed' | 'other';
  /** Null if no step is shown, or the bar has no step yet (after a resume the first step is not 0 either). */
  readonly step: ShownCount | null;
  readonly total: ShownCount | null;
  readonly measures: { readonly [Name in MeasureName]?: string };
  readonly secondsPerStep: number | null;
  readonly tokensPerSecond: number | null;
  readonly elapsedSeconds: number | null;
  readonly remainingSeconds: number | null;
  /** Used memory as shown: `93.9%`, `44.6GiB`. */
  readonly memory: string | null;
};

/** A training line without values. */
export const BARE_TRAINING_LINE: TrainingLine = {
  ...{ work: 'training', step: null, total: null, measures: {}, memory: null },
  ...{ secondsPerStep: null, tokensPerSecond: null, elapsedSeconds: null, remainingSeconds: null },
};

/** Parses a training line, with or without a logger's prefix. Null if it has neither a step with a measure nor a bar. */
export function readTrainingLine(line: string): TrainingLine | null {
  const levanter = LEVANTER.exec(line);
  if (levanter !== null) return ofLevanter(levanter);
  const bar = TQDM.exec(line);
  if (bar !== null) return ofTqdm(line, bar);
  // A run's final summary is no step.
  if (OF_AN_EVAL.test(line) || line.includes('train_runtime')) return null;
  const measures = measuresIn(line);
  const step = stepIn(line);
  const isTraining = 'loss' in measures || (step !== null && (OTHER_SIGNS.test(line) || COUNTED.test(line)));
  if (!isTraining) return null;
  return {
    ...BARE_TRAINING_LINE,
    step: step?.current ?? null,
    // With an epoch, the total counts only that epoch's steps.
    total: EPOCH.test(line) ? null : (step?.total ?? null),
    measures,
    secondsPerStep: secondsIn(line),
    tokensPerSecond: tokensIn(line),
    memory: memoryIn(line),
  };
}

// Each part is anchored by its name, so a long hostile line costs only one pass.
const LEVANTER =
  /Progress on:([\w.-]+) (-|[\d.]+[kMGT]?it)(?:\/([\d.]+[kMGT]?)(?:it)?)?(?: rate:(\S+))?(?: remaining:(\S+))?(?: elapsed:(\S+))?(?: postfix:([\s\S]*))?$/;
// The job controls this text, so accept only a number.
const LOSS = /(?:^|, )loss=([-+]?(?:\d{1,40}(?:\.\d{1,40})?(?:e[-+]?\d{1,4})?|nan|inf(?:inity)?))(?![^\s,])/i;
const FACTORS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function ofLevanter(bar: RegExpExecArray): TrainingLine {
  const [, name = '', current = '-', total, rate = '', remaining = '', elapsed = '', postfix = ''] = bar;
  const loss = LOSS.exec(postfix)?.[1];
  const [, value = '', unit] = /^([\d,]+(?:\.\d+)?)(it\/s|s\/it)$/.exec(rate) ?? [];
  const perUnit = positive(Number(value.replaceAll(',', '')));
  return {
    ...BARE_TRAINING_LINE,
    work: name === 'train' ? 'training' : name === 'eval' ? 'eval' : 'other',
    step: current === '-' ? null : parseCount(current.slice(0, -'it'.length)),
    total: total === undefined ? null : parseCount(total),
    measures: loss === undefined ? {} : { loss },
    secondsPerStep: perUnit === null ? null : unit === 's/it' ? perUnit : 1 / perUnit,
    elapsedSeconds: parseClock(elapsed),
    remainingSeconds: parseClock(remaining),
  };
}

/** Parses `5.16k`; null if it is no count, or too large to be exact. */
function parseCount(text: string): ShownCount | null {
  const match = /^(\d+(?:\.\d+)?)([kMGT]?)$/.exec(text);
  if (match === null) return null;
  const [, digits = '', prefix = ''] = match;
  const value = Math.round(Number(digits) * (FACTORS[prefix] ?? 1));
  return Number.isSafeInteger(value) ? { value, exact: prefix === '' } : null;
}

/** Parses `04:01` and `1:05:15`; in tqdm the hours can exceed a day. */
function parseClock(text: string): number | null {
  if (!/^\d{1,9}(?::\d\d){1,2}$/.test(text)) return null;
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

// Use the last bar of a line, because a terminal overwrites the earlier ones.
const TQDM =
  /(\d{1,3})%\|[^|]{0,200}\| {0,8}(\d[\d.]{0,12}[kMG]?)\/(\d[\d.]{0,12}[kMG]?) \[[\d:]{1,12}<([\d:?]{1,12}),? {0,8}(\?|[\d.]{1,12}) ?([a-z]{1,10})\/([a-z]{1,10})/;
/** Descriptions of bars for other work: loading, evaluating, generating. */
const OTHER_WORK =
  /download|load|map\b|mapping|token|eval|valid|shard|fetch|prompt|generat|sampl|test|predict|upload|filter|convert|sanity|cach|compil|extract|packing|resolv|file|readin|examples|captur|quanti/i;
const EPOCH = /epoch/i;
const TRAINS = /train|epoch|step|iter|fit/i;

function ofTqdm(line: string, bar: RegExpExecArray): TrainingLine {
  const [, , current = '', total = '', remaining = '', rate = '', left = '', right = ''] = bar;
  const before = line.slice(Math.max(0, bar.index - DESCRIPTION_CHARS), bar.index);
  const measures = measuresIn(line);
  const isOther = OF_AN_EVAL.test(line) || OTHER_WORK.test(before) || BYTES.test(left);
  const isNamed = 'loss' in measures || TRAINS.test(before);
  const value = Number(rate);
  return {
    ...BARE_TRAINING_LINE,
    work: isOther ? 'other' : isNamed ? 'training' : 'unnamed',
    step: parseCount(current),
    total: EPOCH.test(before) ? null : parseCount(total),
    measures,
    secondsPerStep: value > 0 ? (right === 's' ? 1 / value : left === 's' ? value : null) : null,
    tokensPerSecond: tokensIn(line),
    remainingSeconds: parseClock(remaining),
    memory: memoryIn(line),
  };
}

const DESCRIPTION_CHARS = 80;
const BYTES = /^(?:[kMG]?i?B|b)$/;

const STEP =
  /(?<![\w-])(?:global[_ ]?|train[_ ]?)?(?:step|iter|iteration|update|it)s?['"]?(?:\s{1,8}|\s{0,2}[:=#|[(]\s{0,8})(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]|\s?(?:it|s|ms)\b)/i;
const BATCH =
  /(?<![\w-])(?:batch|epoch:? {0,2}\[? {0,4}\d{1,5}\]?)[ :=#|[(]{1,6}(\d{1,12}) {0,4}\/ {0,4}(\d{1,12})/i;

function stepIn(line: string): { current: ShownCount; total: ShownCount | null } | null {
  const match = STEP.exec(line) ?? BATCH.exec(line);
  if (match === null) return null;
  const [, current = '', total] = match;
  return { current: exactly(current), total: total === undefined ? null : exactly(total) };
}

function exactly(digits: string): ShownCount {
  return { value: Number(digits), exact: true };
}

const VALUE = /[-+]?(?:\d{1,15}(?:\.\d{1,15})?(?:e[-+]?\d{1,3})?|nan|inf)/i.source;
/** The separator between a measure's name and its value. */
const IS = /['"]?(?: {0,3}[:=|] {0,3}| {1,3})(?:tensor\()?['"]?/.source;
const OTHERS = /eval|val|valid|validation|test|dev|aux|z|router|balance|balancing|best|min|max/.source;

const MEASURES: readonly { readonly name: MeasureName; readonly pattern: RegExp }[] = [
  {
    name: 'loss',
    pattern: named(
      `(?<!(?:${OTHERS})[ _/-])(?<![\\w.-])(?:reduced_)?(?:train(?:ing)?[_/ -])?(?:lm[_ -]|total[_ /]|step[_/ ])?(?:loss(?:_step|/train/total)?|metrics/train/(?:Language)?Cross_?Entropy)`,
    ),
  },
  { name: 'grad-norm', pattern: named('(?:grad(?:ient)?[_ /-]?norm|gnorm)') },
  { name: 'z-loss', pattern: named('(?<![a-z])z[_-]?loss') },
  { name: 'router-entropy', pattern: named('(?:router|routing|expert|load)[_/ ](?:\\w{1,20}[_/ ])?entropy') },
  { name: 'expert-load', pattern: named('(?:max_expert_load|expert_load_max|load_imbalance)') },
  { name: 'gpu-use', pattern: named('gpu[_ /](?:\\d{1,2}[_ /])?util(?:i[sz]ation)?(?: ?%)?') },
  { name: 'mfu', pattern: named('\\bmfu') },
];

function named(name: string): RegExp {
  return new RegExp(`${name}${IS}(${VALUE})(?![\\w])`, 'i');
}

function measuresIn(line: string): TrainingLine['measures'] {
  const found = MEASURES.flatMap(({ name, pattern }) => {
    const value = pattern.exec(line)?.[1];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

const OF_AN_EVAL =
  /\b(?:eval|val|valid|validation|test)(?:[_/](?:loss|runtime|ppl|perplexity)|uation|uating)/i;
const OTHER_SIGNS =
  /grad(?:ient)?[_ /-]?norm|learning[_ ]rate|\blr\b|tokens?[_ /]|\btps\b|tflop|, skipped=|samples(?:\/s|PerSec)/i;

/** A line of `name=value` pairs that starts with its step. */
const COUNTED = /(?:^|[\])] ?|: |- )(?:global_)?(?:step|iter)=\d{1,12} \w{1,60}=/;

const MILLISECONDS = /(?:time per iteration \(ms\): |\btime[ =:]{1,2})(\d{1,9}(?:\.\d{1,6})?)(?: ?ms)?/i;
const SECONDS =
  /(?:step[_ ]time|(?<![a-z/]|per[_ ])sec(?:onds)?(?:\/step)?|s\/step|train_step_timing in s|iteration time|\btime)[ =:]{1,3}(\d{1,7}(?:\.\d{1,6})?) ?(ms)?/i;

function secondsIn(line: string): number | null {
  const perStep = SECONDS.exec(line);
  const milliseconds = MILLISECONDS.exec(line);
  if (line.includes('(ms)') && milliseconds !== null) return positive(Number(milliseconds[1]) / 1_000);
  if (perStep === null) return null;
  return positive(Number(perStep[1]) / (perStep[2] === undefined ? 1 : 1_000));
}

const TOKENS =
  /(?:tokens?[_/ ](?:per[_ ]sec(?:ond)?|s(?:ec)?)(?:\/(?:device|gpu))?|\btps|\bwps)['"]?[ :=|]{1,4}(\d[\d,]{0,14}(?:\.\d{1,6})?) ?(k?)/i;
const TOKENS_BEFORE = /(?<![\d,.])(\d[\d,]{0,14}(?:\.\d{1,6})?) ?(k?) ?tok(?:ens)?\/s/i;

function tokensIn(line: string): number | null {
  const match = TOKENS.exec(line) ?? TOKENS_BEFORE.exec(line);
  if (match === null) return null;
  return positive(Number((match[1] ?? '').replaceAll(',', '')) * (match[2] === '' ? 1 : 1_000));
}

function positive(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}
