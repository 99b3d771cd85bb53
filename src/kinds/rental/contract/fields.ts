/** The fields of a rental's contract (policy VA, Launch Protocol); their names are also the keys of `/rent`. */

import {
  countReader,
  type Field,
  type FieldReader,
  optional,
  patternReader,
  readCommand,
  readCommit,
  readCountField,
  readLogin,
  readText,
  required,
} from '../../../contracts/fields.ts';
import { readReduction, readRepair } from '../../../domain/launch/ladder.ts';

/** `patience`: evaluations without a gain of `minDelta` before the job stops; never before `minSteps`. Decimals are text. */
export type EarlyStop = { readonly minSteps: number; readonly patience: number; readonly minDelta: string };

const PARTS =
  /^min_steps\s{0,3}[=:]\s{0,3}(\d{1,9})[\s,;]{1,5}patience\s{0,3}[=:]\s{0,3}(\d{1,6})[\s,;]{1,5}min_delta\s{0,3}[=:]\s{0,3}(\d{1,9}(?:\.\d{1,12}|e-\d)?)$/i;

/** Null if the text does not match. */
export function readEarlyStop(text: string): EarlyStop | null {
  const [, minSteps, patience, minDelta] = PARTS.exec(text.trim()) ?? [];
  return minSteps === undefined || patience === undefined || minDelta === undefined
    ? null
    : { minSteps: Number(minSteps), patience: Number(patience), minDelta: normalizeDecimal(minDelta) };
}

/** Converts `1e-3` to `0.001`. */
function normalizeDecimal(text: string): string {
  const [digits = '', power] = text.toLowerCase().split('e-');
  return power === undefined ? text : Number(text).toFixed(Number(power)) || digits;
}

/** The only form that the record uses. */
export function formatEarlyStop({ minSteps, patience, minDelta }: EarlyStop): string {
  return `min_steps=${minSteps} patience=${patience} min_delta=${minDelta}`;
}

/**
 * Minimum for an early stop: half of the training, several evaluations, and gains as small as those of a curve that still
 * falls. Lower limits have ended comprehensive finetunings before they paid off.
 */
const EARLY_STOP = { sharePercent: 50, patience: 5, minDeltaMost: 0.01 } as const;

/** The parts that would stop a good run, as text; `finalStep` null: the length of the run is unknown. */
export function listTooSmallParts(
  { minSteps, patience, minDelta }: EarlyStop,
  finalStep: number | null,
): readonly string[] {
  const least = finalStep === null ? null : Math.ceil((finalStep * EARLY_STOP.sharePercent) / 100);
  return [
    // rule VA-30
    ...(least !== null && minSteps < least ? [`min_steps=${minSteps}, at least ${least}`] : []),
    ...(patience < EARLY_STOP.patience ? [`patience=${patience}, at least ${EARLY_STOP.patience}`] : []),
    ...(Number(minDelta) > EARLY_STOP.minDeltaMost
      ? [`min_delta=${minDelta}, at most ${EARLY_STOP.minDeltaMost}`]
      : []),
  ];
}

export type FieldName = keyof typeof FIELDS;

/** Vast.ai bills only in dollars, and an amount without a currency is a guess. */
const readDollars: FieldReader = (said) => {
  const [, before, amount, after] = /^(\$)?\s*(\d{1,7}(?:\.\d{1,4})?)(?:\s*(usd|dollars?))?$/i.exec(said.trim()) ?? [];
  return amount === undefined || (before === undefined && after === undefined) || Number(amount) === 0
    ? { unclear: 'an amount in dollars, such as $0.50 or 20 USD' }
    : { value: amount };
};
/** Accepts an hourly amount only for an hourly price: it is not a total. */
const readDollarsPerHour: FieldReader = (said) =>
  readDollars(said.trim().replace(/\s{0,3}(?:\/|\ban|\bper)\s{0,3}(?:h|hr|hour)$/i, ''));
const readGigabytes = patternReader(/^([1-9]\d{0,5})\s*(?:GB|GiB|G)?$/i, 'a number of GB');
/** No market lists a card named *2x A100*. */
const readCard: FieldReader = (said) =>
  /^\d{1,3}\s?[x×]\s/i.test(said.trim())
    ? { unclear: 'the name of one card, such as RTX 4090; how many are wanted stands under GPUs' }
    : { value: said.trim().replaceAll('_', ' ').slice(0, 100) };
const readShare: FieldReader = (said) => {
  const [, percent] = /^(\d{1,2}(?:\.\d{1,2})?)\s?%$/.exec(said.trim()) ?? [];
  const share = percent === undefined ? said.trim() : String(Number((Number(percent) / 100).toFixed(4)));
  return /^(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/.test(share) ? { value: share } : { unclear: 'a share between 0 and 1' };
};
const readObjectiveField: FieldReader = (said) => {
  const [, word, metric] = /^(minimi[sz]e|lower|maximi[sz]e|higher)\s+([\w./-]{1,100})$/i.exec(said.trim()) ?? [];
  return word === undefined || metric === undefined
    ? { unclear: 'the direction and the metric, such as lower eval/loss' }
    : { value: `${/^(min|low)/i.test(word) ? 'lower' : 'higher'} ${metric}` };
};
const readEarlyStopField = orNoneReader((said) => {
  const read = readEarlyStop(said);
  return read === null
    ? { unclear: 'none, or min_steps=1000 patience=5 min_delta=0.001' }
    : { value: formatEarlyStop(read) };
});
const readTeardown: FieldReader = (said) => {
  const [, minutes] = /^destroy(?:\s+after\s+([1-9]\d{0,3})\s*min(?:utes)?)?$/i.exec(said.trim()) ?? [];
  return /^destroy\b/i.test(said.trim()) && (minutes !== undefined || /^destroy$/i.test(said.trim()))
    ? { value: minutes === undefined ? 'destroy' : `destroy after ${Number(minutes)} minutes` }
    : { unclear: 'destroy, or destroy after 30 minutes; who wants a machine longer says /keep' };
};
const readReductions = orNoneReader((said) => {
  // Options may share one line, because Markdown joins the lines of a form.
  const parts = said
    .split(/[\n;,]|\s(?=--?[A-Za-z])|\s(?=[A-Z][A-Z0-9_]*=)/)
    .map((part) => part.trim())
    .filter(Boolean);
  const read = parts.map(readReduction);
  return parts.length > REDUCTIONS_MAX || read.includes(null)
    ? { unclear: 'options with their smaller values, one a line, such as --batch-size 16' }
    : { value: read.map((one) => `${one?.name} ${one?.value}`).join('; ') };
});
const readRepairs = orNoneReader((said) => {
  const parts = said.split(/[\s;,]+/).filter(Boolean);
  return parts.length > REPAIRS_MAX || parts.map(readRepair).includes(null)
    ? { unclear: 'packages with one version each and variables, one a line, such as numpy==1.26.4' }
    : { value: parts.join(' ') };
});
const readNames = orNoneReader((said) => {
  const names = said.split(/[\s,;]+/).filter(Boolean);
  return names.length <= 20 && names.every((name) => /^[A-Z][A-Z0-9_]{0,60}$/.test(name))
    ? { value: [...new Set(names)].toSorted().join(' ') }
    : { unclear: 'names of variables, and never their values' };
});
const asOptimisation = orNoneReader((said) => {
  const [bottleneck = '', run = '', ...more] = said.trim().split(';');
  const [, where, measured = ''] = /^(data|compute|memory|logging)\s*:(.*)$/is.exec(bottleneck) ?? [];
  const [, baseline] = /^baseline\s+([a-z0-9][a-z0-9-]{0,99})$/i.exec(run.trim()) ?? [];
  const isMeasured = /\d/.test(measured) && measured.length <= MEASUREMENT_CHARS_MAX;
  // rules VA-03, VA-29
  return where === undefined || !isMeasured || baseline === undefined || more.length > 0
    ? {
        unclear:
          'none, or the measured bottleneck and the run that it was measured in: data: the loader waits 61 % of a step; baseline rental-gpu-20261121-issue4',
      }
    : { value: `${where.toLowerCase()}: ${measured.trim()}; baseline ${baseline}` };
});

/** One measurement in a sentence, shown on the card and stored in the record. */
const MEASUREMENT_CHARS_MAX = 400;
/** A ladder has few steps: a run that needs more has a different problem. */
const REDUCTIONS_MAX = 4;
const REPAIRS_MAX = 4;

/** Accepts the word `none`, or reads the text with `read`. */
function orNoneReader(read: FieldReader): FieldReader {
  return (said) => (/^none$/i.test(said.trim()) ? { value: 'none' } : read(said));
}

/** In the order in which people read the fields. */
export const FIELDS = {
  owner: required('Owner', ['dri', 'run owner'], readLogin),
  reason: required('Reason', ['goal', 'purpose', 'what for'], readText),
  mandate: required('Mandate', ['babysitter mandate'], readText),
  command: required('Command', ['launch command', 'command line', 'command and config'], readCommand),
  commit: optional('Source SHA', ['git sha', 'commit', 'sha', 'source commit'], readCommit),
  branch: optional('Branch', ['source branch'], patternReader(/^([\w./-]{1,200})$/, 'the name of one branch')),
  image: optional(
    'Image',
    ['container', 'docker image'],
    patternReader(
      /^([a-z0-9][\w./:-]{0,300}@sha256:[0-9a-f]{64})$/,
      'a name with its digest, such as pytorch/pytorch@sha256:…: a tag may be another image tomorrow',
    ),
  ),
  gpu: required('GPU', ['card', 'gpu name'], readCard),
  gpus: optional('GPUs', ['number of gpus', 'gpu count', 'cards'], countReader([], ['x', '×'])),
  vram: optional('VRAM (GB)', ['vram', 'gpu memory'], readGigabytes),
  ram: optional('RAM (GB)', ['ram', 'memory'], readGigabytes),
  disk: optional('Disk (GB)', ['disk'], readGigabytes),
  reliability: optional('Reliability', ['least reliability'], readShare),
  price: optional(
    'Price cap an hour',
    ['price cap', 'price', 'price an hour', 'price cap per hour'],
    readDollarsPerHour,
  ),
  hours: required(
    'Hours',
    ['lifetime', 'hours of life', 'lifetime in hours'],
    patternReader(/^([1-9]\d{0,3})\s*(?:h|hours?)?$/i, 'a whole number of hours'),
  ),
  cap: optional('Total cap', ['cap', 'total cost', 'budget'], readDollars),
  objective: required('Objective', ['metric', 'objective metric'], readObjectiveField),
  finalStep: optional('Final step', ['final training step', 'last step'], readCountField),
  earlyStop: required('Early stop', ['early-stop contract', 'early stopping'], readEarlyStopField),
  kill: required('Kill criteria', ['stop criteria', 'kill'], readText),
  teardown: required('Teardown', ['teardown policy'], readTeardown),
  reductions: required('Allowed reductions', ['reductions', 'ladder'], readReductions),
  repairs: required('Allowed repairs', ['repairs', 'dependency fixes', 'runtime fixes'], readRepairs),
  optimisation: required('Optimisation', ['optimization', 'optimisations', 'optimizations'], asOptimisation),
  secrets: optional('Secrets', ['secrets by name'], readNames, { hidesUnclear: true }),
} as const satisfies Readonly<Record<string, Field>>;
