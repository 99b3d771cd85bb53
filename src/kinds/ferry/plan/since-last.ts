/** What was merged and discussed since the last ferry (policy DF-04 and DF-08). */

import { GitError, type LoggedCommit } from '../../../domain/git.ts';
import { branded, isSha, type Sha } from '../../../domain/ids.ts';
import { limits } from '../../../domain/limits.ts';
import type { IntervalStart } from '../../../domain/logbook/events/launch-events.ts';
import { runsOfLane } from '../../../domain/logbook/run-state.ts';
import type { Failed, PlanWork } from '../../../run/proposing.ts';
import {
  type GivenFerry,
  type IntervalContext,
  intervalContext,
  intervalStart,
  lastFerryOf,
} from '../interval.ts';
import { ferryLane } from '../settings.ts';

/** Without a last ferry the context begins so many days ago, and the PR says that it is a fallback. */
const INTERVAL_FALLBACK_DAYS = 7;

/** The context of a ferry of this day on the tip `base`. Throws `GitError` where git cannot tell. */
export async function sinceLastFerry(
  open: PlanWork,
  base: Sha,
  date: string,
): Promise<IntervalContext | Failed> {
  const { runs } = open.store.current();
  const last = lastFerryOf(runsOfLane(runs, open.config.laneName), `${date}~`);
  const given = ferryLane(open.config.lane).lastFerry;
  const from = last !== null || given === null ? null : await startOfGiven(open, base, given);
  // rule DF-40
  const start = intervalStart(last, date, INTERVAL_FALLBACK_DAYS, from);
  const issues = await open.issuesSince(`${start.sinceDate}T00:00:00Z`);
  if (issues.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: issues.why };
  const commits = await commitsSince(open, base, start);
  const ferryIssues = new Set(runs.map((run) => run.proposal.issue));
  return intervalContext({ start, last, given, commits, issues: issues.value, ferryIssues });
}

/** Its commit where the branch has it in its history, else its date alone: a word of the config keeps no ferry back. */
async function startOfGiven(
  { git }: PlanWork,
  base: Sha,
  { commit, date }: GivenFerry,
): Promise<{ readonly commit: Sha | null; readonly date: string }> {
  try {
    const sha = branded(commit, isSha);
    return { commit: (await git.mergeBase(base, sha)) === sha ? sha : null, date };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { commit: null, date };
  }
}

/** `git log SHA..HEAD -- <shipped paths>`, or since a date where no launch commit is known. */
async function commitsSince(
  open: PlanWork,
  base: Sha,
  { sinceCommit, sinceDate }: IntervalStart,
): Promise<readonly LoggedCommit[]> {
  const sinceMs = sinceCommit === null ? Date.parse(`${sinceDate}T00:00:00Z`) : null;
  const paths = open.config.lane.ships;
  const { leavesOut } = open;
  return open.git.log({
    from: base,
    not: sinceCommit,
    sinceMs,
    paths,
    leavesOut,
    limit: limits.intervalCommitsRead,
  });
}
