/** The fields of a hero contract: their headings, how each is read, and which a launch requires (policy HR, Launch and Run Record). */

import {
  countReader,
  type Field,
  type FieldReader,
  optional,
  patternReader,
  readCommand,
  readCommit,
  readLogin,
  readQuantity,
  readText,
  required,
  stripLead,
  stripUnit,
} from '../../../contracts/fields.ts';
import type { FieldGroup } from '../../../contracts/read-contract.ts';
import { isStorePath } from '../../../domain/checkpoint/stored.ts';
import { OUTSIDE_SOURCE } from '../../../domain/launch/contract.ts';
import { isRunId, type RunId, withoutEndSlashes } from '../../../domain/values.ts';

/** The number as a person writes it, as text: the record holds only integers. */
export function formatScientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}

export type FieldName = keyof typeof FIELDS;

const MINUTES = ['minutes', 'mins', 'min', 'm'];

/** Words for an approximate amount: the budget of a whole training is a round number even with such a word. */
const APPROXIMATION_WORDS = ['about', 'approx.', 'around', '≈', '~'];

function amountReader(unit: readonly string[]): FieldReader {
  return (said) => {
    const value = readQuantity(stripUnit(stripLead(said.replace(/^[~≈]/, ''), APPROXIMATION_WORDS), unit));
    return value === null ? { unclear: 'a number such as 1e23 or 18T' } : { value: formatScientific(value) };
  };
}
const readDecimal = patternReader(/^(\d+(?:\.\d+)?)(?:\s*nats)?$/i, 'a decimal number');
const readMinutes: FieldReader = (said) => countReader(['every'], MINUTES)(said);
const readSteps = countReader(['every'], ['training steps', 'train steps', 'steps']);

/** A path that the store can list: a path in the job's own folder is rejected. */
function storePathReader(wanted: string): FieldReader {
  return (said) =>
    /^\S{1,400}$/.test(said) && isStorePath(said)
      ? { value: withoutEndSlashes(said) }
      : { unclear: `${wanted}: gs://…, s3://… or an absolute path` };
}

const SCRATCH = /^(?:none|(?:from )?scratch)(?:[\s,—–(-]{1,4}(?:from )?scratch\)?)?$/i;
const readStartPath = storePathReader('none, or the path of a checkpoint or of its root');

/** In the order in which people read the fields. */
export const FIELDS = {
  dri: required('DRI', ['run owner', 'owner', 'directly responsible individual'], readLogin, {
    checkedBy: 'dri-accepted',
  }),
  goal: required('Goal', ['objective', 'purpose'], readText),
  stop: required(
    'Stop and escalation criteria',
    ['stop/escalation criteria', 'stop criteria', 'escalation criteria'],
    readText,
  ),
  slug: required('Run slug', ['run name', 'run', 'slug'], (said) =>
    isSlug(said) ? { value: said } : { unclear: 'lower-case letters, digits and dashes' },
  ),
  command: required('Command', ['launch command', 'command line'], readCommand, { checkedBy: 'manifest-complete' }),
  commit: required('Source SHA', ['git sha', 'commit', 'sha', 'source commit'], readCommit, {
    checkedBy: 'authors-known',
  }),
  branch: optional('Branch', ['source branch'], patternReader(/^([\w./-]{1,200})$/, 'the name of one branch')),
  bundle: optional(
    'Container or bundle',
    ['container', 'bundle', 'source bundle/container', 'source bundle', 'image'],
    readText,
    { checkedBy: 'container-built' },
  ),
  builtFrom: optional('Container built from', ['container sha', 'container commit', 'image revision'], readCommit, {
    checkedBy: 'container-built',
  }),
  // Other libraries read on after `::` or after a single slash, and no gate checks that part.
  outputRoot: required(
    'Output root',
    ['output path', 'output'],
    patternReader(
      /^((?!(?:file|local):(?!\/\/)|[^\s{}]{0,300}::)[^\s{}]{1,300})$/i,
      'one path or address, fixed and without placeholders',
    ),
    { checkedBy: 'output-root-own' },
  ),
  checkpointRoot: optional(
    'Checkpoint root',
    ['checkpoint path', 'permanent checkpoint root'],
    storePathReader('the path of a folder of checkpoints'),
  ),
  temporaryRoot: optional(
    'Temporary checkpoint root',
    ['temporary checkpoint path'],
    storePathReader('the path of a folder of checkpoints'),
  ),
  trackerId: required(
    'W&B run id',
    ['tracker id', 'wandb run id', 'w&b id', 'wandb id', 'run id', 'w&b id/name', 'wandb id/name', 'w&b', 'wandb'],
    patternReader(/^([A-Za-z0-9_.-]{1,120})$/, 'letters, digits, dots, dashes and underscores'),
    { checkedBy: 'tracker-own' },
  ),
  trackerName: optional('W&B display name', ['tracker name', 'display name', 'wandb name', 'w&b name'], readText),
  resume: required(
    'Resume policy',
    ['w&b resume policy', 'wandb resume'],
    patternReader(/^(?:resume\s{0,3}[=:]\s{0,3})?["']?(never|allow|must)["']?$/i, 'never, allow or must'),
    { checkedBy: 'tracker-own' },
  ),
  permanent: required(
    'Permanent checkpoints every (steps)',
    ['permanent checkpoints', 'permanent checkpoints every'],
    readSteps,
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  temporary: required(
    'Temporary checkpoints every (minutes)',
    ['temporary checkpoints', 'temporary checkpoints every'],
    readMinutes,
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  rollback: required(
    'Checkpoints kept for rollback',
    ['rollback depth', 'checkpoints kept', 'kept checkpoints'],
    countReader(['the last', 'the previous', 'last', 'previous', 'keep'], ['checkpoints']),
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  initializeFrom: required(
    'initialize_from',
    ['initialize from', 'source checkpoint', 'initial checkpoint', 'base checkpoint'],
    (said) => (SCRATCH.test(said) ? { value: 'none' } : readStartPath(said)),
    { checkedBy: 'checkpoint-proven' },
  ),
  sourceRun: optional('Source run', ['source lineage', 'parent run', 'initialize_from run'], (said) => {
    if (said.toLowerCase() === OUTSIDE_SOURCE) return { value: OUTSIDE_SOURCE };
    return isSlug(said) ? { value: said } : { unclear: `the name of a recorded run, or ${OUTSIDE_SOURCE}` };
  }),
  inputs: optional(
    'Other inputs',
    ['inputs', 'input paths', 'models, tokenizers and data'],
    (said) => ({ value: listInputs(said).join(' ') }),
    { checkedBy: 'checkpoint-proven' },
  ),
  finalStep: required(
    'Final step',
    ['final training step', 'last step', 'training steps', 'train steps', 'total steps', 'steps'],
    readSteps,
    { checkedBy: 'contract-complete' },
  ),
  hardware: required(
    'Hardware and topology',
    ['hardware', 'hardware/topology', 'topology', 'cluster + chips', 'chips'],
    readText,
    { checkedBy: 'cluster-matches' },
  ),
  region: optional('Region', ['zone'], readText, { checkedBy: 'output-root-own' }),
  acceleratorHours: optional('Accelerator-hours', ['accelerator hours', 'chip-hours'], readDecimal, {
    checkedBy: 'cost-budget',
  }),
  parameters: optional(
    'Parameters',
    ['active parameters', 'active params', 'params', 'model size'],
    amountReader(['active parameters', 'active params', 'parameters', 'params', 'active']),
  ),
  tokens: optional('Token budget', ['tokens'], amountReader(['tokens'])),
  flops: required(
    'FLOP budget',
    ['flops', 'model flops', 'training flops', 'compute', 'compute budget'],
    amountReader(['model flops', 'model flop', 'flops', 'flop']),
  ),
  loss: required('Pre-registered loss', ['preregistered loss', 'expected loss', 'expected final loss'], readDecimal),
  changes: optional(
    'Intended changes',
    ['intended changes since the last attempt', 'changes since the last attempt'],
    readText,
  ),
  // Zero is rejected: the watch would poll without a pause.
  cadence: optional(
    'Check cadence',
    ['cadence', 'babysitter/check cadence'],
    patternReader(/^(?:every\s{1,3})?([1-9]\d{0,2})\s*(?:m|min|minutes?)?$/i, 'a number of minutes'),
  ),
} as const satisfies Readonly<Record<string, Field>>;

/** Paths of models, tokenizers and data that the command may name in addition to the start checkpoint. */
export function listInputs(said: string): readonly string[] {
  return said.split(/[\s,;]+/).filter((one) => one !== '' && one !== '-');
}

/** Rejects the name `journal`, which the repository's journal uses. */
export function isSlug(said: string): said is RunId {
  return isRunId(said) && said !== 'journal';
}

/** The policy's template has `permanent every 1e5 steps, temporary every 15 minutes, keeping the previous 10` under one name. */
export const TOGETHER: readonly FieldGroup<FieldName>[] = [
  {
    names: ['checkpoint policy', 'checkpoint retention policy', 'checkpoint retention', 'retention'],
    split: (said) => said.split(/[;\n]|,(?!\d{3})|\band\b/i).flatMap(readRetention),
  },
];

/** A part without an interval sets no checkpoint policy. If the kind is not named, the unit decides: steps mean permanent. */
function readRetention(part: string): readonly (readonly [FieldName, string])[] {
  const [, every = '', unit = ''] =
    /\bevery\s{1,3}(\d[\w.,]{0,20}(?:\s{1,3}(steps|minutes|min|hours|hour))?)/i.exec(part) ?? [];
  const [, kept] = /\b(?:keep|keeping|kept|last|previous|rollback|retain)\b[^\d]{0,30}(\d{1,6})/i.exec(part) ?? [];
  const isPermanent = /\bperm/i.test(part) || (!/\btemp/i.test(part) && unit.toLowerCase() === 'steps');
  return [
    ...(every === '' ? [] : [[isPermanent ? 'permanent' : 'temporary', every] as const]),
    ...(kept === undefined ? [] : [['rollback', kept] as const]),
  ];
}
