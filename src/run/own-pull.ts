/** Which lane somebody's own pull request asks for, and whether anything speaks against taking it up at all. */

import type { LaneScopedConfig } from '../config/lane-scope.ts';
import { isRunId, type RunId } from '../domain/ids.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { hasLabel, isSameLabel, type Labelled, type OwnPull } from '../domain/own-pull.ts';
import { compactDate, fromRfc3339 } from '../domain/time.ts';

/** The label that makes a pull request a run of the lane; the bot's own proposals carry it too. */
export function laneLabel({ kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>): string {
  return `${kind.name}-${laneName}`;
}

/** Branches of the bot's own work: whoever opens a pull request from one asks for nothing by it. */
const OUR_BRANCHES = 'ferrybot/';

/** Whether a pull request is the bot's own: a proposal, one that is half made, or a log-only closure. */
export function isOurWork({ author, headBranch }: OwnPull, appSlug: string): boolean {
  return headBranch.startsWith(OUR_BRANCHES) || (author.login === appSlug && appSlug !== 'github-actions');
}

/** Runs that a pull request was before, the one that is not over among them. */
export function runsOfPull(runs: readonly RunState[], pull: number): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.pull === pull || proposal.issue === pull);
}

/**
 * The newest label of the lane, where it was put on after everything that the pull request was before: a label that is left
 * on a pull request whose run is over asks for no other. Null where there is none.
 */
export function askedByLabel(pull: OwnPull, label: string, runs: readonly RunState[]): Labelled | null {
  if (!hasLabel(pull.labels, label)) return null;
  const newest = pull.labelled.findLast((one) => isSameLabel(one.label, label));
  const before = runsOfPull(runs, pull.number);
  if (newest === undefined || before.some((run) => !isOver(run))) return null;
  const over = Math.max(0, ...before.map(({ head }) => fromRfc3339(head.at) ?? 0));
  return newest.at > over ? newest : null;
}

/** `ferry-daily-20261121-pr42`: it can be no proposal's of the bot's; where it was one before, `-2` and so on at the end. */
export function ownRunId(
  { kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>,
  date: string,
  pull: number,
  runs: readonly RunState[],
): RunId {
  const base = `${kind.name}-${laneName}-${compactDate(date)}-pr${pull}`;
  const taken = new Set<string>(runs.map(({ run }) => run));
  let run = base;
  for (let number = 2; taken.has(run); number += 1) run = `${base}-${number}`;
  if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
  return run;
}
