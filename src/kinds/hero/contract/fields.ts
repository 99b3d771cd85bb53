/** What a hero run's contract says, name by name: the headings that people write, how each is read, and whether a launch can do without (policy HR, Launch and Run Record). */

import {
  asCommand,
  asCommit,
  asLogin,
  asText,
  countOf,
  type Field,
  matching,
  type Reader,
  withoutLead,
  withoutUnit,
} from '../../../contracts/fields.ts';
import { readQuantity } from '../../../contracts/quantity.ts';
import type { Together } from '../../../contracts/read-contract.ts';
import { isStorePath } from '../../../domain/checkpoint/stored.ts';
import { withoutEndSlashes } from '../../../domain/end-slashes.ts';
import { isRunId, type RunId } from '../../../domain/ids.ts';
import { OUTSIDE } from '../../../domain/launch/contract.ts';

/** As a person writes it; integers only go into the record, so that it is text. */
export function scientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}

export type FieldName = keyof typeof FIELDS;

const MINUTES = ['minutes', 'mins', 'min', 'm'];

/** What a whole training spends is a round number also where somebody writes so. */
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

/** A store is listed there, so that a path of the job's own folder is none. */
function asStorePath(wanted: string): Reader {
  return (said) =>
    /^\S{1,400}$/.test(said) && isStorePath(said)
      ? { value: withoutEndSlashes(said) }
      : { unclear: `${wanted}: gs://…, s3://… or an absolute path` };
}

const SCRATCH = /^(?:none|(?:from )?scratch)(?:[\s,—–(-]{1,4}(?:from )?scratch\)?)?$/i;
const asStart = asStorePath('none, or the path of a checkpoint or of its root');

/** In the order in which a person reads them. */
export const FIELDS = {
  dri: {
    label: 'DRI',
    also: ['run owner', 'owner', 'directly responsible individual'],
    needed: true,
    read: asLogin,
    checkedBy: 'dri-accepted',
  },
  goal: { label: 'Goal', also: ['objective', 'purpose'], needed: true, read: asText },
  stop: {
    label: 'Stop and escalation criteria',
    also: ['stop/escalation criteria', 'stop criteria', 'escalation criteria'],
    needed: true,
    read: asText,
  },
  slug: {
    label: 'Run slug',
    also: ['run name', 'run', 'slug'],
    needed: true,
    read: (said) => (isSlug(said) ? { value: said } : { unclear: 'lower-case letters, digits and dashes' }),
  },
  command: {
    label: 'Command',
    also: ['launch command', 'command line'],
    needed: true,
    read: asCommand,
    checkedBy: 'manifest-complete',
  },
  commit: {
    label: 'Source SHA',
    also: ['git sha', 'commit', 'sha', 'source commit'],
    needed: true,
    read: asCommit,
    checkedBy: 'authors-known',
  },
  branch: {
    label: 'Branch',
    also: ['source branch'],
    needed: false,
    read: matching(/^([\w./-]{1,200})$/, 'the name of one branch'),
  },
  bundle: {
    label: 'Container or bundle',
    also: ['container', 'bundle', 'source bundle/container', 'source bundle', 'image'],
    needed: false,
    read: asText,
    checkedBy: 'container-built',
  },
  builtFrom: {
    label: 'Container built from',
    also: ['container sha', 'container commit', 'image revision'],
    needed: false,
    read: asCommit,
    checkedBy: 'container-built',
  },
  outputRoot: {
    label: 'Output root',
    also: ['output path', 'output'],
    needed: true,
    // What other libraries read on behind `::`, or behind one slash, is looked at by no gate.
    read: matching(
      /^((?!(?:file|local):(?!\/\/)|[^\s{}]{0,300}::)[^\s{}]{1,300})$/i,
      'one path or address, fixed and without placeholders',
    ),
    checkedBy: 'output-root-own',
  },
  checkpointRoot: {
    label: 'Checkpoint root',
    also: ['checkpoint path', 'permanent checkpoint root'],
    needed: false,
    read: asStorePath('the path of a folder of checkpoints'),
  },
  temporaryRoot: {
    label: 'Temporary checkpoint root',
    also: ['temporary checkpoint path'],
    needed: false,
    read: asStorePath('the path of a folder of checkpoints'),
  },
  trackerId: {
    label: 'W&B run id',
    also: [
      'tracker id',
      'wandb run id',
      'w&b id',
      'wandb id',
      'run id',
      'w&b id/name',
      'wandb id/name',
      'w&b',
      'wandb',
    ],
    needed: true,
    read: matching(/^([A-Za-z0-9_.-]{1,120})$/, 'letters, digits, dots, dashes and underscores'),
    checkedBy: 'tracker-own',
  },
  trackerName: {
    label: 'W&B display name',
    also: ['tracker name', 'display name', 'wandb name', 'w&b name'],
    needed: false,
    read: asText,
  },
  resume: {
    label: 'Resume policy',
    also: ['w&b resume policy', 'wandb resume'],
    needed: true,
    read: matching(/^(?:resume\s{0,3}[=:]\s{0,3})?["']?(never|allow|must)["']?$/i, 'never, allow or must'),
    checkedBy: 'tracker-own',
  },
  permanent: {
    label: 'Permanent checkpoints every (steps)',
    also: ['permanent checkpoints', 'permanent checkpoints every'],
    needed: true,
    read: asSteps,
    isRetention: true,
    checkedBy: 'contract-complete',
  },
  temporary: {
    label: 'Temporary checkpoints every (minutes)',
    also: ['temporary checkpoints', 'temporary checkpoints every'],
    needed: true,
    read: asMinutes,
    isRetention: true,
    checkedBy: 'contract-complete',
  },
  rollback: {
    label: 'Checkpoints kept for rollback',
    also: ['rollback depth', 'checkpoints kept', 'kept checkpoints'],
    needed: true,
    read: countOf(['the last', 'the previous', 'last', 'previous', 'keep'], ['checkpoints']),
    isRetention: true,
    checkedBy: 'contract-complete',
  },
  initializeFrom: {
    label: 'initialize_from',
    also: ['initialize from', 'source checkpoint', 'initial checkpoint', 'base checkpoint'],
    needed: true,
    read: (said) => (SCRATCH.test(said) ? { value: 'none' } : asStart(said)),
    checkedBy: 'checkpoint-proven',
  },
  sourceRun: {
    label: 'Source run',
    also: ['source lineage', 'parent run', 'initialize_from run'],
    needed: false,
    read: (said) => {
      if (said.toLowerCase() === OUTSIDE) return { value: OUTSIDE };
      return isSlug(said) ? { value: said } : { unclear: `the name of a recorded run, or ${OUTSIDE}` };
    },
  },
  inputs: {
    label: 'Other inputs',
    also: ['inputs', 'input paths', 'models, tokenizers and data'],
    needed: false,
    read: (said) => ({ value: inputsIn(said).join(' ') }),
    checkedBy: 'checkpoint-proven',
  },
  finalStep: {
    label: 'Final step',
    also: ['final training step', 'last step', 'training steps', 'train steps', 'total steps', 'steps'],
    needed: true,
    read: asSteps,
    checkedBy: 'contract-complete',
  },
  hardware: {
    label: 'Hardware and topology',
    also: ['hardware', 'hardware/topology', 'topology', 'cluster + chips', 'chips'],
    needed: true,
    read: asText,
    checkedBy: 'cluster-matches',
  },
  region: {
    label: 'Region',
    also: ['zone'],
    needed: false,
    read: asText,
    checkedBy: 'output-root-own',
  },
  acceleratorHours: {
    label: 'Accelerator-hours',
    also: ['accelerator hours', 'chip-hours'],
    needed: false,
    read: asDecimal,
    checkedBy: 'cost-budget',
  },
  parameters: {
    label: 'Parameters',
    also: ['active parameters', 'active params', 'params', 'model size'],
    needed: false,
    read: amountOf(['active parameters', 'active params', 'parameters', 'params', 'active']),
  },
  tokens: { label: 'Token budget', also: ['tokens'], needed: false, read: amountOf(['tokens']) },
  flops: {
    label: 'FLOP budget',
    also: ['flops', 'model flops', 'training flops', 'compute', 'compute budget'],
    needed: true,
    read: amountOf(['model flops', 'model flop', 'flops', 'flop']),
  },
  loss: {
    label: 'Pre-registered loss',
    also: ['preregistered loss', 'expected loss', 'expected final loss'],
    needed: true,
    read: asDecimal,
  },
  changes: {
    label: 'Intended changes',
    also: ['intended changes since the last attempt', 'changes since the last attempt'],
    needed: false,
    read: asText,
  },
  cadence: {
    label: 'Check cadence',
    also: ['cadence', 'babysitter/check cadence'],
    needed: false,
    // None at all would have the watch look without a pause.
    read: matching(/^(?:every\s{1,3})?([1-9]\d{0,2})\s*(?:m|min|minutes?)?$/i, 'a number of minutes'),
  },
} as const satisfies Readonly<Record<string, Field>>;

/** Paths of models, tokenizers and data that the command may name beside the checkpoint that the run begins from. */
export function inputsIn(said: string): readonly string[] {
  return said.split(/[\s,;]+/).filter((one) => one !== '' && one !== '-');
}

/** The repository's journal is no run's to be named like. */
export function isSlug(said: string): said is RunId {
  return isRunId(said) && said !== 'journal';
}

/** `permanent every 1e5 steps, temporary every 15 minutes, keeping the previous 10`, as the policy's own template has it under one name. */
export const TOGETHER: readonly Together<FieldName>[] = [
  {
    names: ['checkpoint policy', 'checkpoint retention policy', 'checkpoint retention', 'retention'],
    apart: (said) => said.split(/[;\n]|,(?!\d{3})|\band\b/i).flatMap(retentionIn),
  },
];

/** What is said without its interval says nothing; the unit tells which one is meant where the word is left out. */
function retentionIn(part: string): readonly (readonly [FieldName, string])[] {
  const [, every = '', unit = ''] =
    /\bevery\s{1,3}(\d[\w.,]{0,20}(?:\s{1,3}(steps|minutes|min|hours|hour))?)/i.exec(part) ?? [];
  const [, kept] =
    /\b(?:keep|keeping|kept|last|previous|rollback|retain)\b[^\d]{0,30}(\d{1,6})/i.exec(part) ?? [];
  const isPermanent = /\bperm/i.test(part) || (!/\btemp/i.test(part) && unit.toLowerCase() === 'steps');
  return [
    ...(every === '' ? [] : [[isPermanent ? 'permanent' : 'temporary', every] as const]),
    ...(kept === undefined ? [] : [['rollback', kept] as const]),
  ];
}
