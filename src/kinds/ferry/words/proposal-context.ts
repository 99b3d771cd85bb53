/** What happened since the last ferry, as the proposal tells it (policy DF-08). */

import type { Actor } from '../../../domain/actor.ts';
import { assertNever } from '../../../domain/assert.ts';
import type { RunId } from '../../../domain/ids.ts';
import type { KnobChange, NotTaken, RunBase } from '../../../domain/launch/delta.ts';
import { limits } from '../../../domain/limits.ts';
import type { IntervalStart, Objective } from '../../../domain/logbook/events/launch-events.ts';
import { code, count, details, link, paragraphs, safeUrl, text } from '../../../render/words.ts';
import type { Unanswered } from '../../../run/proposing.ts';
import type { ChoiceRationale } from '../candidates.ts';
import type { GivenFerry, IntervalContext, LastFerry } from '../interval.ts';

/** What a proposal goes on from, and everything that it changes on the target branch. */
type ProposalStart = {
  readonly pass: RunBase | null;
  readonly notTaken: readonly NotTaken[];
  readonly total: readonly KnobChange[];
  /** The change is somebody's own: it is held against the pass, and nobody made it from there. */
  readonly isOwn?: true;
};

/**
 * `pull` is null until it is opened. `changes` is what is new against what the run starts from: empty only
 * for an identical rerun.
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
  /** Files and folders that a fix may change, once an attempt has failed. */
  readonly fixable: readonly string[];
  readonly changes: readonly KnobChange[];
  /** Somebody's own change is more than values of knobs, which is nothing that `changes` can tell. */
  readonly isMore?: true;
  readonly start: ProposalStart;
  /** Programs of the repository's own checks that the machine which proposed does not have. */
  readonly unchecked?: readonly string[];
  /** The branch that it is held against. */
  readonly targetBranch: string;
  readonly risk: 'low' | 'medium' | 'high';
  /** Why this is worth a day, in somebody's words; empty where the one who asked did not say. */
  readonly reason: string;
  readonly candidate: string | null;
  /** Who asked for exactly this with `/propose`, and in which thread; null where nobody did. */
  readonly asked: { readonly by: Actor; readonly thread: number } | null;
  /** Why this candidate was due today; null where none was chosen. */
  readonly rationale: ChoiceRationale | null;
};

/** Issue, pull request, launch commit, tag, job, tracker and closure of the last ferry, or that there is none. */
export function referencesText(last: LastFerry | null, given: GivenFerry | null = null): string {
  if (last === null && given !== null)
    return [
      `The last ferry of ${given.date}, from before there was a record here, as the config gives it.`,
      '',
      `- Issue: ${given.issue === null ? 'none given' : `#${given.issue}`}`,
      `- Launch commit: ${given.commit}`,
    ].join('\n');
  // rules AG-04, DF-15
  if (last === null) return 'No earlier ferry is on record.';
  const jobLinks = Object.entries(last.jobUrls).map(([name, url]) =>
    link(name, url, limits.shownTextCharsMax),
  );
  const job = [last.jobId === null ? 'none' : code(last.jobId), ...jobLinks].join(', ');
  return [
    `- Run: ${code(last.run)} of ${last.date}, ${outcomeWords(last.outcome)}`,
    `- Issue: #${last.issue}`,
    `- Pull request: #${last.pull}`,
    `- Sealing tag: ${last.sealTag === null ? 'N/A' : code(last.sealTag)}`,
    `- Launch commit: ${last.launchCommit ?? 'none'}`,
    `- Job: ${job}`,
    `- W&B run: ${(last.trackerUrl === null ? null : safeUrl(last.trackerUrl)) ?? 'none recorded'}`,
    `- Closure pull request: ${last.closurePull === null ? 'N/A' : `#${last.closurePull}`}`,
  ].join('\n');
}

/** Where the interval begins, that it is a fallback where it is one, and what was merged and discussed in it. */
export function intervalText({ interval, context }: ProposalView): string {
  const start =
    // rule DF-09
    interval.sinceCommit === null
      ? `Since ${interval.sinceDate} (a date, as a fallback: ${context.given === undefined ? 'no launch commit of an earlier ferry is on record' : 'the launch commit that the config gives is not in the history of the branch'}).`
      : `Since the last ferry's launch commit ${interval.sinceCommit} (${interval.sinceDate}).`;
  return paragraphs(start, commitsText(context), issuesText(context));
}

function commitsText({ commits, commitsOmitted }: ProposalView['context']): string {
  if (commits.length === 0) return 'No commit in it touches what the job ships.';
  const total = commits.length + commitsOmitted;
  const lines = commits.map((commit) => `- ${commit.sha} ${text(commit.subject)}`);
  return details(
    `${count(total, 'commit touches', 'commits touch')} what the job ships`,
    [...lines, ...(commitsOmitted > 0 ? [`- and ${commitsOmitted} more`] : [])].join('\n'),
  );
}

function issuesText({ issues, issuesOmitted }: ProposalView['context']): string {
  if (issues.length === 0) return 'No issue with the label `experiment` was updated in it.';
  const lines = issues.map((issue) => `- #${issue.number} ${text(issue.title)}`);
  return details(
    `${count(issues.length + issuesOmitted, 'issue')} with the label experiment updated`,
    [...lines, ...(issuesOmitted > 0 ? [`- and ${issuesOmitted} more`] : [])].join('\n'),
  );
}

function outcomeWords(outcome: LastFerry['outcome']): string {
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
