/** Proposals that were begun and are not recorded yet: the branch is pushed first, and its name is made once for a run. */

import { leftOutOfLane } from '../../config/engine-traits.ts';
import { isRunId, type RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { compactDate } from '../../domain/time.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { redact } from '../../host/redactor.ts';
import { markedCommand } from '../../run/branch-mark.ts';
import { isPartialFor, proposalBranchOf } from '../../run/proposal-record.ts';
import {
  type Failed,
  type Nothing,
  nothing,
  type PartialProposal,
  type Planned,
  type PlanWork,
} from '../../run/proposing.ts';
import type { OpenLane, ProposingLane } from '../open-lab.ts';
import { usualObjective } from './objective-question.ts';

/** `ferry-daily-20261121`; a second proposal of one day, after the first was withdrawn or closed, ends in `-2`. */
export type DayPlaces = { readonly begun: readonly PartialProposal[]; readonly free: RunId | Nothing };

/** What a day has: branches that are begun, and the first name that nobody has taken. Throws `GitError`. */
export async function placesOf(open: OpenLane, date: string): Promise<DayPlaces> {
  const recorded = new Set<string>(open.store.current().runs.map((run) => run.run));
  const begun: PartialProposal[] = [];
  const proposed: string[] = [];
  const taken: string[] = [];
  for (let number = 1; number <= limits.proposalNamesMax; number += 1) {
    const base = `${open.config.kind.name}-${open.config.laneName}-${compactDate(date)}`;
    const run = number === 1 ? base : `${base}-${number}`;
    if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
    if (recorded.has(run)) proposed.push(run);
    if (proposed.length >= limits.proposalsPerDayMax)
      return { begun, free: nothing('too-many-today', `${proposed.length} proposals on ${date}`) };
    if (recorded.has(run)) continue;
    taken.push(proposalBranchOf(run));
    const found = await begunAs(open, run);
    if (found !== null) begun.push(found);
    // A branch of another history is nothing that was begun, and its name is taken all the same.
    else if ((await open.git.resolve(`refs/heads/${proposalBranchOf(run)}`)) === null)
      return { begun, free: run };
  }
  const why = `branches that are no proposal have the ${limits.proposalNamesMax} names of ${date}, such as ${taken[0]} and ${taken.at(-1)}: delete them`;
  return { begun, free: nothing('names-taken', why) };
}

/**
 * What was begun for the schedule and can be gone on with, by its plan. Whoever may push can push a branch of such a name, and
 * more to one that is begun: what is no change of knobs is nobody's proposal, and only its name is taken. Throws `GitError`.
 */
export async function scheduledOf(
  open: ProposingLane,
  begun: readonly PartialProposal[],
  date: string,
): Promise<readonly ScheduledProposal[]> {
  const found: ScheduledProposal[] = [];
  for (const one of begun.filter((some) => isPartialFor(some, null))) {
    const input = { ...usualObjective(open, date), run: one.run, date, request: null };
    const plan = await open.config.kind.proposes.planOfBegun(planWork(open), one, input);
    if (plan.kind === 'nothing' && plan.code === 'edit-refused')
      open.lab.log('a branch has the name of a proposal and is none', { run: one.run, why: plan.why });
    else found.push({ begun: one, plan });
  }
  return found;
}

/** With what is planned from its branch, or why nothing can be. */
export type ScheduledProposal = {
  readonly begun: PartialProposal;
  readonly plan: Planned | Nothing | Failed;
};

/** What was begun on the branch of one run, whoever pushed it; null where there is nothing. Throws `GitError`. */
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
  // Whoever begins commits, also the same configuration again: a branch without a commit of its own is a name that somebody has put there.
  if (first === undefined) return null;
  return { run, tip, mergeBase, command: markedCommand(first.subject), atMs: first.atMs };
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
