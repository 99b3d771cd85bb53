/** What happened since the last ferry (not since yesterday): the facts that a proposal's context is told from. */

import type { LoggedCommit } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import type { IntervalStart } from '../../domain/logbook/events/launch-events.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { dateAfter } from '../../domain/time.ts';

/** Commits that a proposal lists; the body says how many more there are. */
export const INTERVAL_COMMITS_MAX = 30;
const INTERVAL_ISSUES_MAX = 20;

/** The last ferry that was launched and is over, as the logbook has it; links are what the record holds, null where it holds none. */
export type LastFerry = {
  readonly run: RunState['run'];
  readonly date: string;
  readonly issue: number;
  readonly pull: number;
  readonly closurePull: number | null;
  readonly launchCommit: Sha | null;
  readonly sealTag: string | null;
  readonly outcome:
    | 'pass'
    | 'accepted'
    | 'failed'
    | 'stopped'
    | 'rejected'
    | 'withdrawn'
    | 'lost'
    | 'unsealed';
  readonly jobId: string | null;
  readonly jobUrls: Readonly<Record<string, string>>;
  readonly trackerUrl: string | null;
};

/** What of a run is asked for. */
export type FinishedRun = Pick<
  RunState,
  'run' | 'proposal' | 'proposedAt' | 'submission' | 'seal' | 'closed' | 'end' | 'observation'
>;

/** An `experiment` issue that was updated in the interval. */
export type UpdatedIssue = { readonly number: number; readonly title: string; readonly updatedAtMs: number };

/** The last ferry from before ferrybot was there, as the config gives it. */
export type GivenFerry = { readonly commit: string; readonly date: string; readonly issue: number | null };

export type IntervalContext = {
  readonly start: IntervalStart;
  readonly last: LastFerry | null;
  /** Left out where the record has a ferry, or the config gives none. */
  readonly given?: GivenFerry;
  /** Newest first, at most `INTERVAL_COMMITS_MAX`. */
  readonly commits: readonly LoggedCommit[];
  readonly commitsOmitted: number;
  /** Newest update first, at most `INTERVAL_ISSUES_MAX`, without the ferries' own issues. */
  readonly issues: readonly UpdatedIssue[];
  readonly issuesOmitted: number;
};

/**
 * The last ferry of a lane: the newest run that was submitted and is sealed or closed, and is not `before` or later.
 * One that never reached a cluster tells nothing about the training, so it is none.
 */
export function lastFerryOf(runs: readonly FinishedRun[], before: string): LastFerry | null {
  const over = runs.filter(
    (run) =>
      run.submission !== null && (run.seal !== null || run.closed !== null) && run.proposal.date < before,
  );
  // rule DF-02
  const newest = over.toSorted(
    (left, right) =>
      right.proposal.date.localeCompare(left.proposal.date) ||
      right.proposedAt.localeCompare(left.proposedAt),
  )[0];
  return newest === undefined ? null : toLastFerry(newest);
}

/**
 * Where the interval begins: at the last ferry's launch commit; without one, at a date, and that it is a fallback is
 * part of the answer (policy DF-04 and DF-09). Before there is one in the record it is the `given` one (policy DF-40).
 */
export function intervalStart(
  last: LastFerry | null,
  today: string,
  fallbackDays: number,
  given: { readonly commit: Sha | null; readonly date: string } | null = null,
): IntervalStart {
  if (last === null && given !== null)
    return {
      sinceCommit: given.commit,
      sinceDate: given.date,
      fallback: given.commit === null,
      lastRun: null,
    };
  return {
    sinceCommit: last?.launchCommit ?? null,
    // rule DF-04
    sinceDate: last?.date ?? dateAfter(today, -fallbackDays),
    fallback: last?.launchCommit == null,
    lastRun: last?.run ?? null,
  };
}

/** Everything together, cut to what a body can hold; what was left out is counted. */
export function intervalContext(facts: {
  readonly start: IntervalStart;
  readonly last: LastFerry | null;
  readonly given?: GivenFerry | null;
  readonly commits: readonly LoggedCommit[];
  readonly issues: readonly UpdatedIssue[];
  readonly ferryIssues: ReadonlySet<number>;
}): IntervalContext {
  const commits = facts.commits.toSorted((left, right) => right.atMs - left.atMs);
  const issues = facts.issues
    .filter((issue) => !facts.ferryIssues.has(issue.number))
    .toSorted((left, right) => right.updatedAtMs - left.updatedAtMs);
  return {
    start: facts.start,
    last: facts.last,
    ...(facts.last === null && facts.given != null ? { given: facts.given } : {}),
    commits: commits.slice(0, INTERVAL_COMMITS_MAX),
    commitsOmitted: Math.max(0, commits.length - INTERVAL_COMMITS_MAX),
    issues: issues.slice(0, INTERVAL_ISSUES_MAX),
    issuesOmitted: Math.max(0, issues.length - INTERVAL_ISSUES_MAX),
  };
}

function toLastFerry(run: FinishedRun): LastFerry {
  const { proposal, submission, seal, closed, end } = run;
  return {
    run: run.run,
    date: proposal.date,
    issue: proposal.issue,
    pull: proposal.pull,
    closurePull: seal?.closurePull ?? closed?.closurePull ?? null,
    launchCommit: submission?.commit ?? null,
    sealTag: seal?.tag ?? null,
    outcome: seal?.verdict ?? closed?.outcome ?? 'withdrawn',
    jobId: submission?.jobId ?? null,
    jobUrls: submission?.urls ?? {},
    trackerUrl: end?.trackers.at(-1)?.url ?? run.observation?.trackers.at(-1)?.url ?? null,
  };
}
