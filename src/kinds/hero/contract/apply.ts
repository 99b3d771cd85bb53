/** The contract in the place of the lane's own settings, so that everything downstream launches what the issue says. */

import { checkpointRoots } from '../../../config/fill.ts';
import type { LaneConfig } from '../../../config/lane-schema.ts';
import { readCommandLine } from '../../../contracts/command-line.ts';
import { isStorePath } from '../../../domain/checkpoint/stored.ts';
import { withoutEndSlashes } from '../../../domain/end-slashes.ts';
import { branded, isRunId, isSha, type RunId } from '../../../domain/ids.ts';
import {
  type CheckpointPlan,
  type Contract,
  OUTSIDE,
  type PinnedSource,
} from '../../../domain/launch/contract.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import type { FieldName } from './fields.ts';
import { contractValue } from './read-contract.ts';

/** What is missing leaves the lane's own value, which no gate lets through. */
export function settingsOf(lane: LaneConfig, contract: Contract): LaneConfig {
  const number = (name: FieldName): number | null => {
    const value = contractValue(contract, name);
    return value === null ? null : Number(value);
  };
  const line = readCommandLine(contractValue(contract, 'command') ?? '');
  const policy = contractValue(contract, 'resume')?.toLowerCase();
  const cadence = number('cadence');
  return {
    ...lane,
    runName: contractValue(contract, 'trackerId') ?? contractValue(contract, 'slug') ?? lane.runName,
    outputRoot: contractValue(contract, 'outputRoot') ?? lane.outputRoot,
    ...(line === null
      ? {}
      : { command: [...line.command], environment: { ...lane.environment, ...line.environment } }),
    finalStep: number('finalStep'),
    resume: { policy: policy === 'allow' || policy === 'must' ? policy : 'never' },
    retention: {
      permanentEverySteps: number('permanent'),
      temporaryEveryMinutes: number('temporary'),
      keepTemporary: number('rollback'),
    },
    cadence:
      cadence === null
        ? lane.cadence
        : { ...lane.cadence, pollMs: Math.min(lane.cadence.pollMs, cadence * 60_000) },
  };
}

/** What one launch is expected to cost, as the issue says. */
export function costOf(contract: Contract): string | null {
  return contractValue(contract, 'acceleratorHours');
}

/** The commit that the run is of, wherever branches go. */
export function sourceOf(contract: Contract): PinnedSource | null {
  const commit = contractValue(contract, 'commit');
  return commit === null
    ? null
    : { commit: branded(commit, isSha), branch: contractValue(contract, 'branch') };
}

/** The output root, and what the lane says of it; where the contract names the root itself, that alone is searched. */
export function checkpointPlanOf(contract: Contract, lane: LaneConfig): CheckpointPlan {
  const from = contractValue(contract, 'initializeFrom');
  const said = contractValue(contract, 'sourceRun');
  const output = contractValue(contract, 'outputRoot');
  const own = contractValue(contract, 'checkpointRoot');
  const usual = output === null ? [] : [output, ...rootsOfLane(contract, lane, withoutEndSlashes(output))];
  const temporary = contractValue(contract, 'temporaryRoot');
  return {
    from:
      from === null || from === 'none'
        ? null
        : { path: from, run: said === null || said === OUTSIDE ? said : branded(said, isRunId) },
    roots: storePaths([...(own === null ? usual : [own]), temporary]),
    named: storePaths([own, temporary]),
  };
}

function storePaths(said: readonly (string | null)[]): readonly string[] {
  return said.flatMap((root) => (root !== null && isStorePath(root) ? [withoutEndSlashes(root)] : []));
}

/** A date is no part of a contract: a root with one in its name is not looked in. */
function rootsOfLane(contract: Contract, lane: LaneConfig, outputRoot: string): readonly string[] {
  const run = contractValue(contract, 'slug') ?? '{run}';
  const values = { run, date: '{date}', runName: lane.runName, outputRoot };
  return checkpointRoots(lane, values).filter((root) => !/[{}]/.test(root));
}

/** Only what somebody wrote: what is shipped is the tree of the commit, and runs in no container that is known here. */
export function containerIn(contract: Contract): string | null {
  return contract['bundle']?.source === 'given' ? contractValue(contract, 'bundle') : null;
}

/** What it is for, in the DRI's own words. */
export function objectiveOf(contract: Contract): Objective {
  return { kind: 'production', text: contractValue(contract, 'goal') ?? '' };
}

/** A name, an identity in the tracker and a place of its own, and the checkpoint of the old one (policy HR-52). */
export function continuedAs(
  old: RunId,
  { id = '', from = '', root }: Readonly<Record<string, string>>,
): readonly { readonly path: FieldName; readonly after: string }[] {
  return [
    { path: 'slug', after: id },
    // rule HR-52
    { path: 'trackerId', after: id },
    { path: 'trackerName', after: id },
    { path: 'initializeFrom', after: from },
    { path: 'sourceRun', after: old },
    ...(root === undefined ? [] : [{ path: 'outputRoot' as const, after: root }]),
  ];
}

/** Who asks is in charge until somebody else is named, and has said what it is for (policy HR-15). */
export function knownOf({
  login,
  objective,
}: {
  readonly login: string;
  readonly objective: string | null;
}): { readonly [Name in FieldName]?: string } {
  return { dri: login, ...(objective === null ? {} : { goal: objective }) };
}
