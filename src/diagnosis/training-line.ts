/** Reads a line that a trainer prints: step, loss, speed and other measures of training, or of an evaluation. */

import { matchTrainerFormat, rowsWith, type TrainerFormat } from './trainers.ts';

/** The values that a `trainingLine` or `evalLine` pattern may name with a group. */
type NamedValue = 'step' | 'total' | 'loss' | 'seconds' | 'tokens';

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
  | 'balance-loss'
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
  /** Of training. */
  readonly measures: { readonly [Name in MeasureName]?: string };
  /** The loss of an evaluation; a trainer may print it beside the training loss. */
  readonly evalLoss: string | null;
  readonly secondsPerStep: number | null;
  readonly tokensPerSecond: number | null;
  readonly samplesPerSecond: number | null;
  readonly elapsedSeconds: number | null;
  readonly remainingSeconds: number | null;
  /** Used memory as shown: `93.9%`, `44.6GiB`. */
  readonly memory: string | null;
};

export const BARE_TRAINING_LINE: TrainingLine = {
  ...{ work: 'training', step: null, total: null, measures: {}, evalLoss: null, memory: null },
  ...{ secondsPerStep: null, tokensPerSecond: null, samplesPerSecond: null },
  ...{ elapsedSeconds: null, remainingSeconds: null },
};

/**
 * Parses a training line or an evaluation's line, with or without a logger's prefix. `own`: the lane's row. Null if it has neither a step
 * with a measure nor a bar.
 */
export function readTrainingLine(line: string, own: TrainerFormat | null = null): TrainingLine | null {
  const levanter = LEVANTER.exec(line);
  if (levanter !== null) return readLevanterBar(levanter);
  const said = valuesIn(line, own);
  const bar = TQDM.exec(line);
  if (bar !== null) return readTqdmBar(line, bar, said);
  // A run's final summary is no step.
  if (line.includes('train_runtime')) return null;
  // A step after the name of an evaluation may count its batches.
  const step = findStep(said.isEval ? line.slice(0, EVAL.exec(line)?.index) : line, said);
  if (said.isEval)
    return said.evalLoss === null
      ? null
      : { ...BARE_TRAINING_LINE, work: 'eval', step: step?.current ?? null, evalLoss: said.evalLoss };
  const { measures, evalLoss } = said;
  const isTraining =
    said.named !== null || 'loss' in measures || (step !== null && (OTHER_SIGNS.test(line) || COUNTED.test(line)));
  if (!isTraining) return null;
  return {
    ...BARE_TRAINING_LINE,
    step: step?.current ?? null,
    // With an epoch, the total counts only that epoch's steps.
    total: said.named === null && EPOCH.test(line) ? null : (step?.total ?? null),
    measures,
    evalLoss,
    ...speedIn(line, said),
    memory: findMemory(line),
  };
}

type Values = {
  /** Groups of the row that matches; null if none does. */
  readonly named: Partial<Readonly<Record<NamedValue | 'rate', string>>> | null;
  readonly measures: TrainingLine['measures'];
  readonly isEval: boolean;
  readonly evalLoss: string | null;
};

/** Values before the name of an evaluation belong to training, values after it to the evaluation. */
function valuesIn(line: string, own: TrainerFormat | null): Values {
  const evaluates = matchTrainerFormat('evalLine', line, own)?.groups;
  if (evaluates !== undefined)
    return { named: evaluates, measures: {}, isEval: true, evalLoss: evaluates['loss'] ?? null };
  const named = trainsIn(line, own);
  const evalAt = EVAL.exec(line)?.index ?? -1;
  const lossAt = LOSS.exec(line)?.index ?? -1;
  const isEval = named === null && evalAt >= 0 && (lossAt < 0 || evalAt < lossAt);
  const evalLoss = evalAt < 0 ? null : (EVAL_LOSS.exec(line.slice(evalAt))?.[1] ?? null);
  const measures = isEval ? {} : readMeasures(line);
  const loss = named?.loss;
  const isNumber = loss !== undefined && new RegExp(`^${VALUE}$`, 'i').test(loss);
  return { named, isEval, evalLoss, measures: isNumber ? { ...measures, loss } : measures };
}

function trainsIn(line: string, own: TrainerFormat | null): Values['named'] {
  for (const { trainingLine } of rowsWith(own)) {
    const found = trainingLine?.exec(line) ?? null;
    if (found !== null) return found.groups ?? {};
  }
  return null;
}

// Each part is anchored by its name, so a long hostile line costs only one pass.
const LEVANTER =
  /Progress on:([\w.-]+) (-|[\d.]+[kMGT]?it)(?:\/([\d.]+[kMGT]?)(?:it)?)?(?: rate:(\S+))?(?: remaining:(\S+))?(?: elapsed:(\S+))?(?: (?:postfix:)?([\s\S]*))?$/;
// The job controls this text, so accept only a number.
const POSTFIX_LOSS = /(?:^|, )loss=([-+]?(?:\d{1,40}(?:\.\d{1,40})?(?:e[-+]?\d{1,4})?|nan|inf(?:inity)?))(?![^\s,])/i;
const FACTORS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function readLevanterBar(bar: RegExpExecArray): TrainingLine {
  const [, name = '', current = '-', total, rate = '', remaining = '', elapsed = '', postfix = ''] = bar;
  const loss = POSTFIX_LOSS.exec(postfix)?.[1];
  const [, value = '', unit] = /^([\d,]+(?:\.\d+)?)(it\/s|s\/it)$/.exec(rate) ?? [];
  const perUnit = positiveOrNull(Number(value.replaceAll(',', '')));
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
  /download|load|map\b|mapping|\bmAP\d|token|eval|valid|shard|fetch|prompt|generat|sampl|test|predict|upload|filter|convert|sanity|cach|compil|extract|packing|resolv|file|readin|examples|captur|quanti/i;
const EPOCH = /epoch/i;
const TRAINS = /train|epoch|step|iter|fit/i;

function readTqdmBar(line: string, bar: RegExpExecArray, said: Values): TrainingLine {
  const [, , current = '', total = '', remaining = '', rate = '', left = '', right = ''] = bar;
  const before = line.slice(Math.max(0, bar.index - DESCRIPTION_CHARS), bar.index);
  const { named, measures, evalLoss } = said;
  const isOther = OTHER_WORK.test(before) || BYTES.test(left) || (said.isEval && !TRAINS.test(before));
  const isNamed = named !== null || 'loss' in measures || TRAINS.test(before);
  const value = Number(rate);
  return {
    ...BARE_TRAINING_LINE,
    work: isOther ? 'other' : isNamed ? 'training' : 'unnamed',
    step: parseCount(current),
    total: named !== null || EPOCH.test(before) ? null : parseCount(total),
    measures,
    evalLoss,
    ...speedIn(line, said),
    secondsPerStep: value > 0 ? (right === 's' ? 1 / value : left === 's' ? value : null) : null,
    remainingSeconds: parseClock(remaining),
    memory: findMemory(line),
  };
}

const DESCRIPTION_CHARS = 80;
const BYTES = /^(?:[kMG]?i?B|b)$/;

const STEP =
  /(?<![\w-])(?:(?:global|train|current|num)[_ ]?)?(?:step|iter|iteration|update|it)s?['"]?(?:\s{1,8}|\s{0,2}[:=#|[(]\s{0,8}['"]?)(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]|\s?(?:it|s|ms)\b)/i;
const BATCH =
  /(?<![\w-])(?:batch|epoch(?:\(train\))?:? {0,2}\[? {0,4}\d{1,5}\]?)[ :=#|[(]{1,6}(\d{1,12}) {0,4}\/ {0,4}(\d{1,12})/i;

function findStep(line: string, { named }: Values): { current: ShownCount; total: ShownCount | null } | null {
  const match = STEP.exec(line) ?? BATCH.exec(line);
  const [, current, total] = named?.step === undefined ? (match ?? []) : ['', named.step, named.total];
  if (current === undefined || !/^[\d,]{1,15}$/.test(current)) return null;
  return { current: exactCount(current), total: /^\d/.test(total ?? '') ? exactCount(total ?? '') : null };
}

function exactCount(digits: string): ShownCount {
  return { value: Number(digits.replaceAll(',', '')), exact: true };
}

const VALUE = /[-+]?(?:\d{1,15}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?|nan|inf)/i.source;
/** The separator between a measure's name and its value. */
const IS = /['"]?(?: {0,3}[:=|] {0,12}| {1,8})(?:tensor\()?['"]?/.source;
const OTHERS = /eval|val|valid|validation|test|dev|aux|z|router|balance|balancing|best|min|max/.source;

const LOSS = named(
  `(?<!(?:${OTHERS})[ _/-])(?<![\\w.-])(?:reduced_|avr_|policy_|(?:actor/)?pg_)?(?:train(?:ing)?[_/ -])?(?:lm[_ -]|total[_ /]|step[_/ ])?(?:(?:cross[_-]?entropy[_-]?)?loss(?:_step|/train/total)?|metrics/train/(?:Language)?Cross_?Entropy)`,
);

const MEASURES: readonly { readonly name: MeasureName; readonly pattern: RegExp }[] = [
  { name: 'loss', pattern: LOSS },
  { name: 'grad-norm', pattern: named('(?:grad(?:ient)?[_ /-]?norm|gnorm)') },
  { name: 'z-loss', pattern: named('(?<![a-z])z[_-]?loss') },
  { name: 'balance-loss', pattern: named('(?<![a-z])(?:load[_ -]balanc(?:e|ing)|router[_ ]aux|aux)[_ -]loss') },
  { name: 'router-entropy', pattern: named('(?:router|routing|expert|load)[_/ ](?:\\w{1,20}[_/ ])?entropy') },
  { name: 'expert-load', pattern: named('(?:max_expert_load|expert_load_max|load_imbalance)') },
  { name: 'gpu-use', pattern: named('gpu[_ /](?:\\d{1,2}[_ /])?util(?:i[sz]ation)?(?: ?%)?') },
  { name: 'mfu', pattern: named('\\bmfu') },
];

function named(name: string): RegExp {
  return new RegExp(`${name}${IS}(${VALUE})(?![\\w])`, 'i');
}

function readMeasures(line: string): TrainingLine['measures'] {
  const found = MEASURES.flatMap(({ name, pattern }) => {
    const value = pattern.exec(line)?.[1];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** The name of an evaluation before its values. */
const EVAL =
  /(?<![\w.-])(?:(?:eval|val|valid|validate|validation|evaluation|evaluating)(?=[_/ :|=]|$)|(?:test|dev)[_/ ](?:loss|ppl|perplexity)|Test: {1,6}\[)/i;
const EVAL_LOSS = new RegExp(`loss(?:_[a-z]{1,20}| value)?${IS}(${VALUE})(?![\\w])`, 'i');
const OTHER_SIGNS =
  /grad(?:ient)?[_ /-]?norm|learning[_ ]rate|\blr\b|tokens?[_ /]|\btps\b|tflop|, skipped=|samples(?:\/s|PerSec)/i;

/** A line of `name=value` pairs that starts with its step. */
const COUNTED = /(?:^|[\])] ?|: |- )(?:global_)?(?:step|iter)=\d{1,12} \w{1,60}=/;

const MILLISECONDS = /(?:time per iteration \(ms\): |\btime[ =:]{1,2})(\d{1,9}(?:\.\d{1,6})?)(?: ?ms)?/i;
/** A time since the start, or of something else than a step, is no step's time. */
const CLOCKS = /(?<!(?:total|elapsed|train|training|wall|clock|remaining|left|val|eval|run|cost)[ _-]{0,3})/.source;
const SECONDS = new RegExp(
  `(?:step[-_ ]time|(?<![a-z/]|per[_ ])sec(?:onds)?(?:/step)?|s/step|train_step_timing in s|timing_s/step|iteration time|${CLOCKS}\\btime|\\bdt)[ =:]{1,3}(\\d{1,7}(?:\\.\\d{1,6})?)(?![\\d.:]| ?(?:m|min|h|hr)\\b) ?(ms)?`,
  'i',
);
const SECONDS_BEFORE = /(?<![\w.])(\d{1,7}(?:\.\d{1,6})?)(m?s)\/(?:step|iter)\b/;
const PER_SECOND = /\bsteps?_per_sec(?:ond)?[ =:]{1,3}(\d{1,7}(?:\.\d{1,9})?)/i;

function speedIn(
  line: string,
  { named: row }: Values,
): Pick<TrainingLine, 'secondsPerStep' | 'tokensPerSecond' | 'samplesPerSecond'> {
  const rate = positiveOrNull(Number(row?.rate));
  const secondsPerStep = positiveOrNull(Number(row?.seconds)) ?? (rate === null ? findSecondsPerStep(line) : 1 / rate);
  const tokensPerSecond = positiveOrNull(Number(row?.tokens?.replaceAll(',', ''))) ?? findTokensPerSecond(line);
  return { secondsPerStep, tokensPerSecond, samplesPerSecond: samplesIn(line, secondsPerStep) };
}

function findSecondsPerStep(line: string): number | null {
  const milliseconds = MILLISECONDS.exec(line);
  if (line.includes('(ms)') && milliseconds !== null) return positiveOrNull(Number(milliseconds[1]) / 1_000);
  const perStep = SECONDS.exec(line);
  if (perStep !== null) return positiveOrNull(Number(perStep[1]) / (perStep[2] === undefined ? 1 : 1_000));
  const before = SECONDS_BEFORE.exec(line);
  // Keras prints whole seconds: one digit says too little.
  if (before !== null && (before[1] ?? '').length > 1)
    return positiveOrNull(Number(before[1]) / (before[2] === 's' ? 1 : 1_000));
  const steps = positiveOrNull(Number(PER_SECOND.exec(line)?.[1]));
  return steps === null ? null : 1 / steps;
}

const COUNT = /(\d[\d,]{0,14}(?:\.\d{1,6})?(?:e[-+]?\d{1,3})?) ?(k?)/.source;
const TOKENS = new RegExp(
  `(?:tok(?:ens?)?[_/ -](?:per[_ -]sec(?:ond)?|s(?:ec)?)(?:/(?:device|gpu)|_per_gpu)?|\\btps|\\bwps|perf/throughput)['"]?[ :=|]{1,4}${COUNT}`,
  'i',
);
const TOKENS_BEFORE = new RegExp(`(?<![\\d,.])${COUNT} ?tok(?:ens)?/s`, 'i');

function findTokensPerSecond(line: string): number | null {
  const match = TOKENS.exec(line) ?? TOKENS_BEFORE.exec(line);
  if (match === null) return null;
  return positiveOrNull(Number((match[1] ?? '').replaceAll(',', '')) * (match[2] === '' ? 1 : 1_000));
}

const SAMPLES =
  /(?:CurrSamplesPerSec|samples_per_sec(?:ond)?|\bsamples\/s(?:ec)?)['"]?[ :=|]{1,4}(\d{1,12}(?:\.\d{1,16})?)|s, {1,8}(\d{1,9}\.\d{1,6})\/s\b/;
const BATCH_SIZE = /\bglobal[_ ]batch[_ ]size['"]?[ :=|]{1,8}(\d{1,9})\b/;

/** If the batch grows during the run, its steps take longer and the run is as fast as before. */
function samplesIn(line: string, secondsPerStep: number | null): number | null {
  const match = SAMPLES.exec(line);
  if (match !== null) return positiveOrNull(Number(match[1] ?? match[2]));
  const batch = Number(BATCH_SIZE.exec(line)?.[1]);
  return secondsPerStep === null ? null : positiveOrNull(batch / secondsPerStep);
}

function positiveOrNull(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}

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
function findMemory(line: string): string | null {
  const match = MEMORY.exec(line);
  if (match === null || OTHER.test(line.slice(Math.max(0, match.index - BEFORE_CHARS), match.index))) return null;
  const [, named, value = '', unit = named, share] = match;
  if (share !== undefined || unit === '%') return percentToShare(Number(share ?? value));
  // torchvision's and OpenMMLab's loggers print whole MB without a unit. Ignore other numbers without a unit.
  if (unit === undefined) return /^\d{3,}$/.test(value) ? `${value}MB` : null;
  return `${Number(Number(value).toPrecision(4))}${/b$/i.test(unit) ? unit : `${unit}B`}`;
}

/** A share in the recorded format; null if it is out of range. */
export function percentToShare(percent: number): string | null {
  return percent >= 0 && percent <= 100 ? `${Number(percent.toPrecision(3))}%` : null;
}

const JAX_LIMIT = /(?<![a-z_])bytes_limit['"]?: ?(\d{1,15})\b/;

/** A share such as `93.9%` if the line names the total, otherwise the amount, such as `11246MB`; null if there is none. */
export function findMemoryReport(line: string): string | null {
  const { mb, gb, percent, used, whole = JAX_LIMIT.exec(line)?.[1] } = matchTrainerFormat('memory', line)?.groups ?? {};
  if (mb !== undefined) return `${Number(mb)}MB`;
  if (gb !== undefined) return `${Number(Number(gb).toPrecision(4))}GB`;
  return percentToShare(Number(percent ?? (100 * Number(used)) / Number(whole)));
}
