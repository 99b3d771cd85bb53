/** Which lane somebody's own pull request asks for, and whether anything speaks against taking it up at all. */

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

/** The label that makes a pull request a run of the lane; the bot's own proposals carry it too. */
export function laneLabel({ kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>): string {
  return `${kind.name}-${laneName}`;
}

/** The labels of everything that is proposed in a lane. */
export function proposalLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [config.kind.name, laneLabel(config)];
}

/** All labels that ask for a run of the lane. */
export function askedLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [laneLabel(config), ...(config.kind.contracts?.labels ?? [])];
}

const EXPERIMENT = 'experiment';

/** The labels by which this thread may ask for a run of the lane: that of an experiment too, where what it says makes it one. */
export function askingLabels(config: LaneScopedConfig, thread: OwnPull | OwnIssue): readonly string[] {
  const { contracts } = config.kind;
  const isClaimed =
    thread.kind === 'issue' && contracts?.claims?.(contracts.read(thread, config.lane)) === true;
  return [...askedLabels(config), ...(isClaimed ? [EXPERIMENT] : [])];
}

/** The labels of threads that are looked at for whether they ask for a run. */
export function lookedAtLabels(config: LabConfig): readonly string[] {
  const lanes = lanesOf(config);
  const mayClaim = lanes.some(({ kind }) => kind.contracts?.claims !== undefined);
  return [...lanes.flatMap(askedLabels), ...(mayClaim ? [EXPERIMENT] : [])];
}

/** The labels by which an issue asks for a run of any lane whose runs begin from issues. */
export function contractLabels(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap((one) => (one.kind.contracts === undefined ? [] : askedLabels(one)));
}

/** Branches of the bot's own work: whoever opens a pull request from one asks for nothing by it. */
const OUR_BRANCHES = 'ferrybot/';

/** Whether a thread is the bot's own: a proposal, one that is half made, or a log-only closure. */
export function isOurWork(thread: OwnPull | OwnIssue, appSlug: string): boolean {
  const isFromOurs = thread.kind === 'pull' && thread.headBranch.startsWith(OUR_BRANCHES);
  return isFromOurs || (thread.author.login === appSlug && appSlug !== 'github-actions');
}

/** Runs that a pull request was before, the one that is not over among them. */
export function runsOfPull(runs: readonly RunState[], pull: number): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.pull === pull || proposal.issue === pull);
}

/**
 * The newest label of the lane, where it was put on after everything that the pull request was before: a label that is left
 * on a pull request whose run is over asks for no other. Null where there is none.
 */
export function askedByLabel(pull: OwnThread, label: string, runs: readonly RunState[]): Labelled | null {
  if (!hasLabel(pull.labels, label)) return null;
  const newest = pull.labelled.findLast((one) => isSameLabel(one.label, label));
  const before = runsOfPull(runs, pull.number);
  if (newest === undefined || before.some((run) => !isOver(run))) return null;
  const over = Math.max(0, ...before.map(({ head }) => fromRfc3339(head.at) ?? 0));
  return newest.at > over ? newest : null;
}

/**
 * `ferry-daily-20261121-pr42`, or the name that its contract gives it: it can be no proposal's of the bot's; where there
 * was such a run before, `-2` and so on at the end.
 */
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
