/** The fields of a hero contract: their headings, how each is read, and which a launch requires (policy HR, Launch and Run Record). */

import {
  asCommand,
  asCommit,
  asLogin,
  asText,
  countOf,
  type Field,
  matching,
  optional,
  type Reader,
  readQuantity,
  required,
  withoutLead,
  withoutUnit,
} from '../../../contracts/fields.ts';
import type { Together } from '../../../contracts/read-contract.ts';
import { isStorePath } from '../../../domain/checkpoint/stored.ts';
import { OUTSIDE } from '../../../domain/launch/contract.ts';
import { isRunId, type RunId, withoutEndSlashes } from '../../../domain/values.ts';

/** The number as a person writes it, as text: the record holds only integers. */
export function scientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}

export type FieldName = keyof typeof FIELDS;

const MINUTES = ['minutes', 'mins', 'min', 'm'];

/** Words for an approximate amount: the budget of a whole training is a round number even with such a word. */
const ROUGHLY = ['about', 'approx.', 'around', '≈', '~'];

function amountOf(unit: readonly string[]): Reader {
  return (said) => {
    const value = readQuantity(withoutUnit(withoutLead(said.replace(/^[~≈]/, ''), ROUGHLY), unit));
    return value === null ? { unclear: 'a number such as 1e23 or 18T' } : { value: scientific(value) };
  };
}
const asDecimal = matching(/^(\d+(?:\.\d+)?)(?:\s*nats)?$/i, 'a decimal number');
const asMinutes: Reader = (said) => countOf(['every'], MINUTES)(said);
const asSteps = countOf(['every'], ['training steps', 'train steps', 'steps']);

/** A path that the store can list: a path in the job's own folder is rejected. */
function asStorePath(wanted: string): Reader {
  return (said) =>
    /^\S{1,400}$/.test(said) && isStorePath(said)
      ? { value: withoutEndSlashes(said) }
      : { unclear: `${wanted}: gs://…, s3://… or an absolute path` };
}

const SCRATCH = /^(?:none|(?:from )?scratch)(?:[\s,—–(-]{1,4}(?:from )?scratch\)?)?$/i;
const asStart = asStorePath('none, or the path of a checkpoint or of its root');

/** In the order in which people read the fields. */
export const FIELDS = {
  dri: required('DRI', ['run owner', 'owner', 'directly responsible individual'], asLogin, {
    checkedBy: 'dri-accepted',
  }),
  goal: required('Goal', ['objective', 'purpose'], asText),
  stop: required(
    'Stop and escalation criteria',
    ['stop/escalation criteria', 'stop criteria', 'escalation criteria'],
    asText,
  ),
  slug: required('Run slug', ['run name', 'run', 'slug'], (said) =>
    isSlug(said) ? { value: said } : { unclear: 'lower-case letters, digits and dashes' },
  ),
  command: required('Command', ['launch command', 'command line'], asCommand, {
    checkedBy: 'manifest-complete',
  }),
  commit: required('Source SHA', ['git sha', 'commit', 'sha', 'source commit'], asCommit, {
    checkedBy: 'authors-known',
  }),
  branch: optional('Branch', ['source branch'], matching(/^([\w./-]{1,200})$/, 'the name of one branch')),
  bundle: optional(
    'Container or bundle',
    ['container', 'bundle', 'source bundle/container', 'source bundle', 'image'],
    asText,
    { checkedBy: 'container-built' },
  ),
  builtFrom: optional('Container built from', ['container sha', 'container commit', 'image revision'], asCommit, {
    checkedBy: 'container-built',
  }),
  // Other libraries read on after `::` or after a single slash, and no gate checks that part.
  outputRoot: required(
    'Output root',
    ['output path', 'output'],
    matching(
      /^((?!(?:file|local):(?!\/\/)|[^\s{}]{0,300}::)[^\s{}]{1,300})$/i,
      'one path or address, fixed and without placeholders',
    ),
    { checkedBy: 'output-root-own' },
  ),
  checkpointRoot: optional(
    'Checkpoint root',
    ['checkpoint path', 'permanent checkpoint root'],
    asStorePath('the path of a folder of checkpoints'),
  ),
  temporaryRoot: optional(
    'Temporary checkpoint root',
    ['temporary checkpoint path'],
    asStorePath('the path of a folder of checkpoints'),
  ),
  trackerId: required(
    'W&B run id',
    ['tracker id', 'wandb run id', 'w&b id', 'wandb id', 'run id', 'w&b id/name', 'wandb id/name', 'w&b', 'wandb'],
    matching(/^([A-Za-z0-9_.-]{1,120})$/, 'letters, digits, dots, dashes and underscores'),
    { checkedBy: 'tracker-own' },
  ),
  trackerName: optional('W&B display name', ['tracker name', 'display name', 'wandb name', 'w&b name'], asText),
  resume: required(
    'Resume policy',
    ['w&b resume policy', 'wandb resume'],
    matching(/^(?:resume\s{0,3}[=:]\s{0,3})?["']?(never|allow|must)["']?$/i, 'never, allow or must'),
    { checkedBy: 'tracker-own' },
  ),
  permanent: required(
    'Permanent checkpoints every (steps)',
    ['permanent checkpoints', 'permanent checkpoints every'],
    asSteps,
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  temporary: required(
    'Temporary checkpoints every (minutes)',
    ['temporary checkpoints', 'temporary checkpoints every'],
    asMinutes,
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  rollback: required(
    'Checkpoints kept for rollback',
    ['rollback depth', 'checkpoints kept', 'kept checkpoints'],
    countOf(['the last', 'the previous', 'last', 'previous', 'keep'], ['checkpoints']),
    { isRetention: true, checkedBy: 'contract-complete' },
  ),
  initializeFrom: required(
    'initialize_from',
    ['initialize from', 'source checkpoint', 'initial checkpoint', 'base checkpoint'],
    (said) => (SCRATCH.test(said) ? { value: 'none' } : asStart(said)),
    { checkedBy: 'checkpoint-proven' },
  ),
  sourceRun: optional('Source run', ['source lineage', 'parent run', 'initialize_from run'], (said) => {
    if (said.toLowerCase() === OUTSIDE) return { value: OUTSIDE };
    return isSlug(said) ? { value: said } : { unclear: `the name of a recorded run, or ${OUTSIDE}` };
  }),
  inputs: optional(
    'Other inputs',
    ['inputs', 'input paths', 'models, tokenizers and data'],
    (said) => ({ value: inputsIn(said).join(' ') }),
    { checkedBy: 'checkpoint-proven' },
  ),
  finalStep: required(
    'Final step',
    ['final training step', 'last step', 'training steps', 'train steps', 'total steps', 'steps'],
    asSteps,
    { checkedBy: 'contract-complete' },
  ),
  hardware: required(
    'Hardware and topology',
    ['hardware', 'hardware/topology', 'topology', 'cluster + chips', 'chips'],
    asText,
    { checkedBy: 'cluster-matches' },
  ),
  region: optional('Region', ['zone'], asText, { checkedBy: 'output-root-own' }),
  acceleratorHours: optional('Accelerator-hours', ['accelerator hours', 'chip-hours'], asDecimal, {
    checkedBy: 'cost-budget',
  }),
  parameters: optional(
    'Parameters',
    ['active parameters', 'active params', 'params', 'model size'],
    amountOf(['active parameters', 'active params', 'parameters', 'params', 'active']),
  ),
  tokens: optional('Token budget', ['tokens'], amountOf(['tokens'])),
  flops: required(
    'FLOP budget',
    ['flops', 'model flops', 'training flops', 'compute', 'compute budget'],
    amountOf(['model flops', 'model flop', 'flops', 'flop']),
  ),
  loss: required('Pre-registered loss', ['preregistered loss', 'expected loss', 'expected final loss'], asDecimal),
  changes: optional(
    'Intended changes',
    ['intended changes since the last attempt', 'changes since the last attempt'],
    asText,
  ),
  // Zero is rejected: the watch would poll without a pause.
  cadence: optional(
    'Check cadence',
    ['cadence', 'babysitter/check cadence'],
    matching(/^(?:every\s{1,3})?([1-9]\d{0,2})\s*(?:m|min|minutes?)?$/i, 'a number of minutes'),
  ),
} as const satisfies Readonly<Record<string, Field>>;

/** Paths of models, tokenizers and data that the command may name in addition to the start checkpoint. */
export function inputsIn(said: string): readonly string[] {
  return said.split(/[\s,;]+/).filter((one) => one !== '' && one !== '-');
}

/** Rejects the name `journal`, which the repository's journal uses. */
export function isSlug(said: string): said is RunId {
  return isRunId(said) && said !== 'journal';
}

/** The policy's template has `permanent every 1e5 steps, temporary every 15 minutes, keeping the previous 10` under one name. */
export const TOGETHER: readonly Together<FieldName>[] = [
  {
    names: ['checkpoint policy', 'checkpoint retention policy', 'checkpoint retention', 'retention'],
    apart: (said) => said.split(/[;\n]|,(?!\d{3})|\band\b/i).flatMap(retentionIn),
  },
];

/** A part without an interval sets no checkpoint policy. If the kind is not named, the unit decides: steps mean permanent. */
function retentionIn(part: string): readonly (readonly [FieldName, string])[] {
  const [, every = '', unit = ''] =
    /\bevery\s{1,3}(\d[\w.,]{0,20}(?:\s{1,3}(steps|minutes|min|hours|hour))?)/i.exec(part) ?? [];
  const [, kept] = /\b(?:keep|keeping|kept|last|previous|rollback|retain)\b[^\d]{0,30}(\d{1,6})/i.exec(part) ?? [];
  const isPermanent = /\bperm/i.test(part) || (!/\btemp/i.test(part) && unit.toLowerCase() === 'steps');
  return [
    ...(every === '' ? [] : [[isPermanent ? 'permanent' : 'temporary', every] as const]),
    ...(kept === undefined ? [] : [['rollback', kept] as const]),
  ];
}
