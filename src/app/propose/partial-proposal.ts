/** Proposals that were begun and are not recorded yet: the branch is pushed first, and its name is made once for a run. */

import { leftOutOfLane } from '../../config/engine-traits.ts';
import { isRunId, type RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { compactDate } from '../../domain/time.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { redact } from '../../host/redactor.ts';
import { markedCommand } from '../../run/branch-mark.ts';
import type { PartialProposal, PlanWork } from '../../run/proposing.ts';
import type { OpenLane } from '../open-lab.ts';

/** The branch of a proposal: one for each run, named by it. */
export function proposalBranchOf(run: string): string {
  return `ferrybot/proposal/${run}`;
}

/** `ferry-daily-20261121`; a second proposal of one day, after the first was withdrawn or closed, ends in `-2`. */
export type DayPlaces = { readonly begun: readonly PartialProposal[]; readonly free: RunId | null };

/** What a day has: branches that are begun, and the first name that nobody has taken. Throws `GitError`. */
export async function placesOf(open: OpenLane, date: string): Promise<DayPlaces> {
  const recorded = new Set<string>(open.store.current().runs.map((run) => run.run));
  const begun: PartialProposal[] = [];
  for (let number = 1; number <= limits.proposalsPerDayMax; number += 1) {
    const base = `${open.config.kind.name}-${open.config.laneName}-${compactDate(date)}`;
    const run = number === 1 ? base : `${base}-${number}`;
    if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
    if (recorded.has(run)) continue;
    const found = await begunAs(open, run);
    if (found !== null) begun.push(found);
    // A branch of another history is nothing that was begun, and its name is taken all the same.
    else if ((await open.git.resolve(`refs/heads/${proposalBranchOf(run)}`)) === null)
      return { begun, free: run };
  }
  return { begun, free: null };
}

/** The branch of one run, whoever pushed it; null where it is not there. Throws `GitError`. */
export async function begunAs({ git, config }: OpenLane, run: RunId): Promise<PartialProposal | null> {
  const tip = await git.resolve(`refs/heads/${proposalBranchOf(run)}`);
  const target = await git.resolve(`refs/heads/${config.lane.targetBranch}`);
  if (tip === null || target === null) return null;
  const mergeBase = await git.mergeBase(target, tip);
  if (mergeBase === null) return null;
  const commits = await git.log({
    from: tip,
    not: mergeBase,
    sinceMs: null,
    paths: [],
    limit: limits.intervalCommitsRead,
  });
  const first = commits.at(-1);
  return { run, tip, mergeBase, command: markedCommand(first?.subject ?? ''), atMs: first?.atMs ?? 0 };
}

/** Whether a begun proposal is this command's; null asks for the schedule's. */
export function isPartialFor(begun: PartialProposal, command: SeenCommand | null): boolean {
  return begun.command === (command === null ? null : commandKey(command));
}

/** What a kind plans with. */
export function planWork(open: OpenLane): PlanWork {
  return {
    ...open,
    leavesOut: leftOutOfLane(open.config),
    issuesSince: (moment) => listExperimentIssues(open.lab.client, moment),
    redact: (text) => redact(text, []),
  };
}
