/** Reads a hero contract and puts it over the lane's settings, so that later steps launch what the issue defines. */

import { fillCheckpointRoots } from '../../../config/lane-of-file.ts';
import type { LaneConfig } from '../../../config/lane-schema.ts';
import {
  commandSettings,
  findOption,
  listOptions,
  readCommandLine,
  readCount,
  readQuantity,
  readValue,
  STEP_OPTIONS,
} from '../../../contracts/fields.ts';
import { contractReader } from '../../../contracts/read-contract.ts';
import { isStorePath } from '../../../domain/checkpoint/stored.ts';
import { isHeroSized, isPlausibleBudget, trainingFlops } from '../../../domain/launch/change-facts.ts';
import {
  type CheckpointPlan,
  type Contract,
  type ContractIssue,
  type ContractValue,
  OUTSIDE_SOURCE,
} from '../../../domain/launch/contract.ts';
import { limits } from '../../../domain/limits.ts';
import { brandAs, isRunId, withoutEndSlashes } from '../../../domain/values.ts';
import { findSecretNames } from '../../../domain/written-secrets.ts';
import { FIELDS, type FieldName, formatScientific, isSlug, TOGETHER } from './fields.ts';

const readContract = contractReader<FieldName>({ fields: FIELDS, together: TOGETHER, commandReplacesIssue: true });

/** Lineage, checkpoints and output are never inferred: a person writes them, or they are missing. */
export function readHeroContract(issue: ContractIssue, lane: LaneConfig): Contract {
  const contract = readContract(issue, (infer, given) => {
    infer('dri', issue.author.login, 'the author of the issue');
    infer('slug', slugFromTitle(issue.title), 'the title of the issue');
    const command = readCommandLine(given('command') ?? '');
    if (command !== null) {
      const steps = readCount(findOption(command, STEP_OPTIONS) ?? '');
      infer('finalStep', steps === null ? null : String(steps), 'the command');
    }
    const flops = estimateFlops(given('parameters'), given('tokens'));
    infer('flops', flops === null ? null : formatScientific(flops), 'six operations a parameter and token');
    infer('trackerName', given('trackerId'), 'the W&B run id');
    infer('cadence', String(Math.round(lane.cadence.pollMs / 60_000)), 'the lane');
    infer('bundle', given('commit') === null ? null : 'the tree of the source SHA', 'the source SHA');
  });
  return checkAgainstSize(checkAgainstCommand(contract));
}

function estimateFlops(parameters: string | null, tokens: string | null): number | null {
  return parameters === null || tokens === null ? null : trainingFlops(Number(parameters), Number(tokens));
}

/** If the budget contradicts the model's size, ferrybot cannot decide which is right and marks the budget as unclear. */
function checkAgainstSize(contract: Contract): Contract {
  const said = readValue(contract, 'flops');
  const estimated = estimateFlops(readValue(contract, 'parameters'), readValue(contract, 'tokens'));
  if (said === null || estimated === null || isPlausibleBudget(Number(said), estimated)) return contract;
  const from = `one amount; six operations for each of its parameters and tokens are ${formatScientific(estimated)}`;
  return { ...contract, flops: { value: said, source: 'unclear', from } };
}

/** Options and variables of launchers and W&B that set a contract value in the command. */
const STATED_BY_COMMAND: readonly { readonly name: FieldName; readonly options: readonly string[] }[] = [
  { name: 'finalStep', options: STEP_OPTIONS },
  { name: 'trackerId', options: ['trainer.tracker.id', 'trainer.id', 'wandb.id', 'WANDB_RUN_ID'] },
  { name: 'resume', options: ['trainer.tracker.resume', 'wandb.resume', 'WANDB_RESUME'] },
];

/** The command decides what runs: a contract value that contradicts it does not count (policy HR-13, HR-38). */
function checkAgainstCommand(contract: Contract): Contract {
  const line = readCommandLine(readValue(contract, 'command') ?? '');
  if (line === null) return contract;
  const open: Record<string, ContractValue> = {};
  for (const { name, options } of STATED_BY_COMMAND) {
    const read = listOptions(line, options).flatMap((said) => {
      const one = said === '' || said.includes('{') ? null : FIELDS[name].read(said);
      return one !== null && 'value' in one ? [one.value] : [];
    });
    const value = readValue(contract, name);
    const other = value === null ? undefined : read.find((one) => !isSameFieldValue(name, one, value));
    const given = contract[name];
    if (name === 'finalStep' && given?.source === 'given' && read.length > 0)
      open[name] = { ...given, from: 'the command' };
    if (value !== null && other !== undefined)
      open[name] = { value, source: 'unclear', from: `one answer; the command says ${other}` };
  }
  return { ...contract, ...open };
}

/** Trainers count steps from zero or from one. */
function isSameFieldValue(name: FieldName, one: string, other: string): boolean {
  if (name === 'finalStep') return Math.abs(Number(one) - Number(other)) <= limits.finalStepSlack;
  return one.toLowerCase() === other.toLowerCase();
}

/** `[Hero run] Grug MoE 1e23 ep8` is `grug-moe-1e23-ep8`. */
function slugFromTitle(title: string): string | null {
  if (findSecretNames(title) !== null) return null;
  const named = title.replace(/^\s*(\[hero run\]|hero run:)/i, '').toLowerCase();
  const slug = (named.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 60);
  return isSlug(slug) ? slug : null;
}

/** Whether the cost makes it a hero run, for any requester: by the stated budget, or by the model's size and tokens. */
export function isHeroContract(contract: Contract): boolean {
  // A stated budget counts here even if the model's size contradicts it.
  const said = readQuantity(contract['flops']?.value ?? '') ?? 0;
  const estimated = estimateFlops(readValue(contract, 'parameters'), readValue(contract, 'tokens')) ?? 0;
  return isHeroSized(Math.max(said, estimated));
}

/** A missing value keeps the lane's default, which no gate passes. */
export function laneSettings(lane: LaneConfig, contract: Contract): LaneConfig {
  const readNumber = (name: FieldName): number | null => {
    const value = readValue(contract, name);
    return value === null ? null : Number(value);
  };
  const policy = readValue(contract, 'resume')?.toLowerCase();
  const cadence = readNumber('cadence');
  return {
    ...lane,
    runName: readValue(contract, 'trackerId') ?? readValue(contract, 'slug') ?? lane.runName,
    outputRoot: readValue(contract, 'outputRoot') ?? lane.outputRoot,
    ...commandSettings(readCommandLine(readValue(contract, 'command') ?? ''), lane),
    finalStep: readNumber('finalStep'),
    resume: { policy: policy === 'allow' || policy === 'must' ? policy : 'never' },
    retention: {
      permanentEverySteps: readNumber('permanent'),
      temporaryEveryMinutes: readNumber('temporary'),
      keepTemporary: readNumber('rollback'),
    },
    cadence:
      cadence === null ? lane.cadence : { ...lane.cadence, pollMs: Math.min(lane.cadence.pollMs, cadence * 60_000) },
  };
}

/** Searches the contract's own checkpoint root, else the output root and the lane's roots; always the temporary root. */
export function buildCheckpointPlan(contract: Contract, lane: LaneConfig): CheckpointPlan {
  const from = readValue(contract, 'initializeFrom');
  const said = readValue(contract, 'sourceRun');
  const output = readValue(contract, 'outputRoot');
  const own = readValue(contract, 'checkpointRoot');
  const usual = output === null ? [] : [output, ...rootsOfLane(contract, lane, withoutEndSlashes(output))];
  const temporary = readValue(contract, 'temporaryRoot');
  return {
    from:
      from === null || from === 'none'
        ? null
        : { path: from, run: said === null || said === OUTSIDE_SOURCE ? said : brandAs(said, isRunId) },
    roots: splitStorePaths([...(own === null ? usual : [own]), temporary]),
    named: splitStorePaths([own, temporary]),
  };
}

function splitStorePaths(said: readonly (string | null)[]): readonly string[] {
  return said.flatMap((root) => (root !== null && isStorePath(root) ? [withoutEndSlashes(root)] : []));
}

/** A contract has no date, so a root with a date in its name is not searched. */
function rootsOfLane(contract: Contract, lane: LaneConfig, outputRoot: string): readonly string[] {
  const run = readValue(contract, 'slug') ?? '{run}';
  const values = { run, date: '{date}', runName: lane.runName, outputRoot };
  return fillCheckpointRoots(lane, values).filter((root) => !/[{}]/.test(root));
}
