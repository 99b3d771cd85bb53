/** Reads the contract of a hero run in its issue: what is given, what is inferred and from what, and what is unclear. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { branded, isRunId, isSha, type RunId } from '../../../domain/ids.ts';
import type { Contract, ContractIssue, ContractValue } from '../../../domain/launch/contract.ts';
import { optionOf, readCommandLine } from './command-line.ts';
import { FIELD_NAMES, type FieldName } from './fields.ts';
import { readCount, readQuantity, scientific, trainingFlops } from './quantity.ts';
import { readFields } from './read-fields.ts';

/** A value in the form in which it is used, or why it cannot be. */
type Reading = { readonly value: string } | { readonly unclear: string };

const text: Reader = (said) => ({ value: said });
const count: Reader = (said) => fits(readCount(said), 'a whole number');
const amount: Reader = (said) => {
  const value = readQuantity(said);
  return value === null ? { unclear: 'a number such as 1e23 or 18T' } : { value: scientific(value) };
};
type Reader = (said: string) => Reading;

function fits(value: number | string | null, wanted: string): Reading {
  return value === null ? { unclear: wanted } : { value: String(value) };
}

function matching(pattern: RegExp, wanted: string): Reader {
  return (said) => fits(pattern.exec(said)?.[1] ?? null, wanted);
}

const READERS: Readonly<Record<FieldName, Reader>> = {
  dri: matching(/^@?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))$/, 'one GitHub login'),
  goal: text,
  stop: text,
  slug: (said) => (isSlug(said) ? { value: said } : { unclear: 'lower-case letters, digits and dashes' }),
  command: (said) =>
    readCommandLine(said) === null
      ? { unclear: 'one program with its arguments, without a shell' }
      : { value: said },
  commit: (said) => (isSha(said) ? { value: said } : { unclear: 'the 40 hex digits of one commit' }),
  branch: matching(/^([\w./-]{1,200})$/, 'the name of one branch'),
  bundle: text,
  outputRoot: matching(/^([^\s{}]{1,300})$/, 'one path or address, fixed and without placeholders'),
  trackerId: matching(/^([A-Za-z0-9_.-]{1,120})$/, 'letters, digits, dots, dashes and underscores'),
  trackerName: text,
  resume: matching(/^(never|allow|must)$/i, 'never, allow or must'),
  permanent: count,
  temporary: count,
  rollback: count,
  // A checkpoint that nobody has proven complete and of this lineage is none to start from.
  initializeFrom: matching(/^(none)$/i, 'none: a start from a checkpoint is not proven from here yet'),
  finalStep: count,
  hardware: text,
  region: text,
  acceleratorHours: matching(/^(\d+(?:\.\d+)?)$/, 'a decimal number'),
  parameters: amount,
  tokens: amount,
  flops: amount,
  loss: matching(/^(\d+(?:\.\d+)?)$/, 'a decimal number'),
  cadence: matching(/^(\d{1,3})\s*(?:m|min|minutes?)?$/i, 'a number of minutes'),
};

/** The values by their names; a name that has none is missing. */
export function readContract(issue: ContractIssue, lane: LaneConfig): Contract {
  const fields = readFields(issue.body);
  const values: Partial<Record<FieldName, ContractValue>> = {};
  if (fields === null) return {};
  for (const name of FIELD_NAMES) {
    const [said, again] = fields.get(name) ?? [];
    if (said === undefined) continue;
    const read = again === undefined ? READERS[name](said) : { unclear: 'one answer; there are two' };
    values[name] =
      'value' in read
        ? { value: read.value, source: 'given', from: '' }
        : { value: said.slice(0, 500), source: 'unclear', from: read.unclear };
  }
  return { ...values, ...inferredFrom(values, issue, lane) };
}

type Values = Readonly<Partial<Record<FieldName, ContractValue>>>;

/** Nothing here decides about lineage, checkpoints or output: those a person writes, or they are missing. */
function inferredFrom(values: Values, issue: ContractIssue, lane: LaneConfig): Values {
  const found: Partial<Record<FieldName, ContractValue>> = {};
  const infer = (name: FieldName, value: string | null, from: string): void => {
    if (values[name] === undefined && value !== null) found[name] = { value, source: 'inferred', from };
  };
  infer('dri', issue.author.login, 'the author of the issue');
  infer('slug', slugOf(issue.title), 'the title of the issue');
  const command = readCommandLine(given(values, 'command') ?? '');
  if (command !== null) {
    const steps = readCount(optionOf(command, STEP_OPTIONS) ?? '');
    infer('finalStep', steps === null ? null : String(steps), 'the command');
  }
  const [parameters, tokens] = [given(values, 'parameters'), given(values, 'tokens')];
  if (parameters !== null && tokens !== null)
    infer(
      'flops',
      scientific(trainingFlops(Number(parameters), Number(tokens))),
      'six operations a parameter and token',
    );
  infer('trackerName', given(values, 'trackerId'), 'the W&B run id');
  infer('cadence', String(Math.round(lane.cadence.pollMs / 60_000)), 'the lane');
  infer('bundle', values.commit?.source === 'given' ? 'the tree of the source SHA' : null, 'the source SHA');
  return found;
}

/** Options that name the last step (Levanter, `trainer.num_train_steps`). */
const STEP_OPTIONS = [
  'trainer.num_train_steps',
  'num_train_steps',
  'num-train-steps',
  'max-steps',
  'max_steps',
];

function given(values: Values, name: FieldName): string | null {
  const value = values[name];
  return value === undefined || value.source === 'unclear' ? null : value.value;
}

/** `[Hero run] Grug MoE 1e23 ep8` is `grug-moe-1e23-ep8`. */
function slugOf(title: string): string | null {
  const named = title.replace(/^\s*(\[hero run\]|hero run:)/i, '').toLowerCase();
  const slug = (named.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 60);
  return isSlug(slug) ? slug : null;
}

/** The repository's journal is no run's to be named like. */
function isSlug(said: string): said is RunId {
  return isRunId(said) && said !== 'journal';
}

/** A value that can be used: given or inferred. */
export function contractValue(contract: Contract, name: FieldName): string | null {
  return given(contract as Values, name);
}

/** The name of the run. */
export function runNameOf(contract: Contract): RunId | null {
  const slug = contractValue(contract, 'slug');
  return slug === null ? null : branded(slug, isRunId);
}
