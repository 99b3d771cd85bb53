/** Collects what happened since the last ferry (not since yesterday): the facts in the context of a proposal. */

import type { Actor } from '../../domain/actor.ts';
import type { LoggedCommit } from '../../domain/git.ts';
import type { KnobChange, KnobNotTaken, RunBase } from '../../domain/launch/change-facts.ts';
import type { IntervalStart, Objective } from '../../domain/logbook/events/launch-events.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { addDays, assertNever, type RunId, type Sha } from '../../domain/values.ts';
import { code, count, folded, link, paragraphs, safeUrl, text } from '../../render/words.ts';
import type { Unanswered } from '../../run/proposing.ts';
import type { ChoiceRationale } from './candidates.ts';
import type { FerryLane, Risk } from './settings.ts';

/** Limit of commits that a proposal lists; the body counts the rest. */
export const INTERVAL_COMMITS_MAX = 30;
const INTERVAL_ISSUES_MAX = 20;

/** The last ferry that was launched and has ended, from the logbook. A link is null if the record has none. */
export type LastFerry = {
  readonly run: RunState['run'];
  readonly date: string;
  readonly issue: number;
  readonly pull: number;
  readonly closurePull: number | null;
  readonly launchCommit: Sha | null;
  readonly sealTag: string | null;
  readonly outcome: 'pass' | 'accepted' | 'failed' | 'stopped' | 'rejected' | 'withdrawn' | 'lost' | 'unsealed';
  readonly jobId: string | null;
  readonly jobUrls: Readonly<Record<string, string>>;
  readonly trackerUrl: string | null;
};

/** The parts of a run that `findLastFerry` reads. */
export type FinishedRun = Pick<
  RunState,
  'run' | 'proposal' | 'proposedAt' | 'submission' | 'seal' | 'closed' | 'end' | 'observation'
>;

export type UpdatedIssue = { readonly number: number; readonly title: string; readonly updatedAtMs: number };

/** The last ferry before ferrybot was installed, from the config. */
export type ConfiguredFerry = NonNullable<FerryLane['lastFerry']>;

export type IntervalContext = {
  readonly start: IntervalStart;
  readonly last: LastFerry | null;
  /** Absent if the record has a ferry, or the config gives none. */
  readonly configured?: ConfiguredFerry;
  /** Newest first, at most `INTERVAL_COMMITS_MAX`. */
  readonly commits: readonly LoggedCommit[];
  readonly commitsOmitted: number;
  /** Newest update first, at most `INTERVAL_ISSUES_MAX`, without the ferries' own issues. */
  readonly issues: readonly UpdatedIssue[];
  readonly issuesOmitted: number;
};

/**
 * The last ferry of a lane: the newest run dated earlier than `before` that was submitted and is sealed or closed.
 * A run that never reached a cluster has no training result, so it does not count.
 */
export function findLastFerry(runs: readonly FinishedRun[], beforeDate: string): LastFerry | null {
  const over = runs.filter(
    (run) => run.submission !== null && (run.seal !== null || run.closed !== null) && run.proposal.date < beforeDate,
  );
  // rule DF-02
  const newest = over.toSorted(
    (left, right) =>
      right.proposal.date.localeCompare(left.proposal.date) || right.proposedAt.localeCompare(left.proposedAt),
  )[0];
  return newest === undefined ? null : toLastFerry(newest);
}

/**
 * The start of the interval: the launch commit of the last ferry, else a date, which the result marks as a fallback
 * (policy DF-04 and DF-09). Until the record has a ferry, `given` is the last ferry (policy DF-40).
 */
export function findIntervalStart(
  last: LastFerry | null,
  today: string,
  fallbackDays: number,
  given: { readonly commit: Sha | null; readonly date: string } | null = null,
): IntervalStart {
  if (last === null && given !== null)
    return { sinceCommit: given.commit, sinceDate: given.date, fallback: given.commit === null, lastRun: null };
  return {
    sinceCommit: last?.launchCommit ?? null,
    // rule DF-04
    sinceDate: last?.date ?? addDays(today, -fallbackDays),
    fallback: last?.launchCommit == null,
    lastRun: last?.run ?? null,
  };
}

/** Combines the facts and cuts them to the size of a body; the omitted items are counted. */
export function buildIntervalContext(facts: {
  readonly start: IntervalStart;
  readonly last: LastFerry | null;
  readonly configured?: ConfiguredFerry | null;
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
    ...(facts.last === null && facts.configured != null ? { configured: facts.configured } : {}),
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

/** What a proposal starts from, and everything that it changes on the target branch. */
type ProposalStart = {
  readonly passedRun: RunBase | null;
  readonly notTaken: readonly KnobNotTaken[];
  readonly total: readonly KnobChange[];
  /** A person made this change without starting from the pass; it is only compared with the pass. */
  readonly isOwn?: true;
};

/**
 * `pull` is null until the pull request is opened. `changes` lists the differences from what the run starts from;
 * it is empty only for an identical rerun.
 */
export type ProposalView = {
  readonly run: RunId;
  readonly date: string;
  readonly lane: string;
  readonly runName: string;
  readonly experiment: string;
  readonly objective: Objective;
  readonly unanswered?: Unanswered;
  readonly interval: IntervalStart;
  readonly context: IntervalContext;
  readonly pull: number | null;
  /** Files and folders that a fix may change after a failed attempt. */
  readonly fixable: readonly string[];
  readonly changes: readonly KnobChange[];
  /** A person's own change contains more than knob values, which `changes` cannot show. */
  readonly isMore?: true;
  readonly start: ProposalStart;
  /** Programs of the repository's own checks that are not installed on the machine that proposed. */
  readonly missingChecks?: readonly string[];
  /** The branch that the change is compared with. */
  readonly targetBranch: string;
  readonly risk: Risk;
  /** Why this run is worth a day, in the requester's words; empty if the requester gave no reason. */
  readonly reason: string;
  readonly candidate: string | null;
  /** Who requested exactly this with `/propose`, and in which thread; null if it was not requested. */
  readonly request: { readonly by: Actor; readonly thread: number } | null;
  /** Why this candidate is due today; null if no candidate was chosen. */
  readonly rationale: ChoiceRationale | null;
};

/** Issue, pull request, launch commit, tag, job, tracker and closure of the last ferry, or a note that there is none. */
export function formatReferences(last: LastFerry | null, given: ConfiguredFerry | null = null): string {
  if (last === null && given !== null)
    return [
      `The last ferry of ${given.date}, from before there was a record here, as the config gives it.`,
      '',
      `- Issue: ${given.issue === null ? 'none given' : `#${given.issue}`}`,
      `- Launch commit: ${given.commit}`,
    ].join('\n');
  // rules AG-04, DF-15
  if (last === null) return 'No earlier ferry is on record.';
  const jobLinks = Object.entries(last.jobUrls).map(([name, url]) => link(name, url));
  const job = [last.jobId === null ? 'none' : code(last.jobId), ...jobLinks].join(', ');
  return [
    `- Run: ${code(last.run)} of ${last.date}, ${describeOutcome(last.outcome)}`,
    `- Issue: #${last.issue}`,
    `- Pull request: #${last.pull}`,
    `- Sealing tag: ${last.sealTag === null ? 'N/A' : code(last.sealTag)}`,
    `- Launch commit: ${last.launchCommit ?? 'none'}`,
    `- Job: ${job}`,
    `- W&B run: ${(last.trackerUrl === null ? null : safeUrl(last.trackerUrl)) ?? 'none recorded'}`,
    `- Closure pull request: ${last.closurePull === null ? 'N/A' : `#${last.closurePull}`}`,
  ].join('\n');
}

/** The start of the interval, marked if it is a fallback, and what was merged and discussed since. */
export function describeInterval({ interval, context }: ProposalView): string {
  const start =
    // rule DF-09
    interval.sinceCommit === null
      ? `Since ${interval.sinceDate} (a date, as a fallback: ${context.configured === undefined ? 'no launch commit of an earlier ferry is on record' : 'the launch commit that the config gives is not in the history of the branch'}).`
      : `Since the last ferry's launch commit ${interval.sinceCommit} (${interval.sinceDate}).`;
  return paragraphs(start, listCommits(context), listIssues(context));
}

function listCommits({ commits, commitsOmitted }: ProposalView['context']): string {
  if (commits.length === 0) return 'No commit in it touches what the job ships.';
  const total = commits.length + commitsOmitted;
  const lines = commits.map((commit) => `- ${commit.sha} ${text(commit.subject)}`);
  return folded(
    `${count(total, 'commit touches', 'commits touch')} what the job ships`,
    [...lines, ...(commitsOmitted > 0 ? [`- and ${commitsOmitted} more`] : [])].join('\n'),
  );
}

function listIssues({ issues, issuesOmitted }: ProposalView['context']): string {
  if (issues.length === 0) return 'No issue with the label `experiment` was updated in it.';
  const lines = issues.map((issue) => `- #${issue.number} ${text(issue.title)}`);
  return folded(
    `${count(issues.length + issuesOmitted, 'issue')} with the label experiment updated`,
    [...lines, ...(issuesOmitted > 0 ? [`- and ${issuesOmitted} more`] : [])].join('\n'),
  );
}

function describeOutcome(outcome: LastFerry['outcome']): string {
  switch (outcome) {
    case 'pass':
      return 'sealed as a pass';
    case 'accepted':
      return 'sealed, accepted by a person';
    case 'failed':
      return 'FAILED and closed';
    case 'stopped':
      return 'STOPPED and closed';
    case 'rejected':
      return 'rejected';
    case 'unsealed':
      return 'not sealed in time';
    case 'withdrawn':
      return 'withdrawn';
    case 'lost':
      return 'given up: nobody can say what became of the job';
    default:
      return assertNever(outcome);
  }
}
