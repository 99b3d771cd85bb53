/** Which lane a person's own pull request or issue asks for. */

import { isRunId, RUN_ID_MAX, type RunId } from '../domain/ids.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import {
  hasLabel,
  isSameLabel,
  type Labelled,
  type OwnIssue,
  type OwnPull,
  type OwnThread,
} from '../domain/own-pull.ts';
import { compactDate, fromRfc3339 } from '../domain/time.ts';
import { type LabConfig, type LaneScopedConfig, lanesOf } from './lane-scope.ts';

/** Label of a lane's runs, used by people and by the bot's proposals. */
export function laneLabel({ kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>): string {
  return `${kind.name}-${laneName}`;
}

/** Labels of every proposal in a lane. */
export function proposalLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [config.kind.name, laneLabel(config)];
}

/** All labels that request a run of the lane. */
export function askedLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [laneLabel(config), ...(config.kind.contracts?.labels ?? [])];
}

const EXPERIMENT = 'experiment';

/** The labels that make this thread request a run, including `experiment` if its content qualifies. */
export function askingLabels(config: LaneScopedConfig, thread: OwnPull | OwnIssue): readonly string[] {
  const { contracts } = config.kind;
  const isClaimed =
    thread.kind === 'issue' && contracts?.claims?.(contracts.read(thread, config.lane)) === true;
  return [...askedLabels(config), ...(isClaimed ? [EXPERIMENT] : [])];
}

/** Labels of threads that may request a run. */
export function lookedAtLabels(config: LabConfig): readonly string[] {
  const lanes = lanesOf(config);
  const mayClaim = lanes.some(({ kind }) => kind.contracts?.claims !== undefined);
  return [...lanes.flatMap(askedLabels), ...(mayClaim ? [EXPERIMENT] : [])];
}

/** Labels by which issues request a run. */
export function contractLabels(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap((one) => (one.kind.contracts === undefined ? [] : askedLabels(one)));
}

/** Pull requests from these branches request nothing. */
const OUR_BRANCHES = 'ferrybot/';

/** Whether ferrybot created the thread. */
export function isOurWork(thread: OwnPull | OwnIssue, appSlug: string): boolean {
  const isFromOurs = thread.kind === 'pull' && thread.headBranch.startsWith(OUR_BRANCHES);
  return isFromOurs || (thread.author.login === appSlug && appSlug !== 'github-actions');
}

/** Runs of this pull request, including an active one. */
export function runsOfPull(runs: readonly RunState[], pull: number): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.pull === pull || proposal.issue === pull);
}

/**
 * The newest label event of the lane after all earlier runs of the pull request ended: a remaining label does not request another run. Null
 * if there is none.
 */
export function askedByLabel(pull: OwnThread, label: string, runs: readonly RunState[]): Labelled | null {
  if (!hasLabel(pull.labels, label)) return null;
  const newest = pull.labelled.findLast((one) => isSameLabel(one.label, label));
  const before = runsOfPull(runs, pull.number);
  if (newest === undefined || before.some((run) => !isOver(run))) return null;
  const over = Math.max(0, ...before.map(({ head }) => fromRfc3339(head.at) ?? 0));
  return newest.at > over ? newest : null;
}

/** `ferry-daily-20261121-pr42`, or the contract's name; repeated runs get `-2` and so on. Never collides with a bot's proposal. */
export function ownRunId(
  {
    kind,
    laneName,
    name = null,
  }: Pick<LaneScopedConfig, 'kind' | 'laneName'> & { readonly name?: RunId | null },
  date: string,
  thread: string,
  runs: readonly RunState[],
): RunId {
  const base = name ?? `${kind.name}-${laneName}-${compactDate(date)}-${thread}`;
  const taken = new Set<string>(runs.map(({ run }) => run));
  let run: string = base;
  for (let number = 2; taken.has(run); number += 1) {
    const suffix = `-${number}`;
    run = `${base.slice(0, RUN_ID_MAX - suffix.length)}${suffix}`;
  }
  if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
  return run;
}
