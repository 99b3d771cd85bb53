/** Finds comments that no webhook reported, on every surface, and keeps those without a recorded answer. */

import { commentName } from '../../domain/answer-key.ts';
import type { Instant } from '../../domain/ids.ts';
import { isIssueFirst } from '../../domain/issue-first.ts';
import { limits } from '../../domain/limits.ts';
import { isOver, type RunState } from '../../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import {
  type Listing,
  listNewComments,
  listNewReviews,
  type SweptComment,
} from '../../github/new-comments.ts';
import { byComment, isForUs, openIn } from '../../run/pending-commands.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Record } from '../record-files.ts';
import { containedEach, inComment, type Trouble, type Where } from '../trouble.ts';

/** Pages of 100 comments per pass. */
export const SWEEP_PAGES_MAX = 20;

/** How far each list was read, in GitHub's times. Without news the cursor stays, so that the next request is answered with 304. */
export type SweepCursor = {
  readonly comment: Instant;
  readonly 'review-comment': Instant;
  /** Reviews are listed per pull request, since this time. */
  readonly review: Instant;
};

type Swept = {
  readonly triggers: readonly ReconcileRequest[];
  /** Used for the next sweep once all these triggers are handled. */
  readonly cursor: SweepCursor;
  /** False if a limit was reached: the next pass continues from the cursor. */
  readonly isWhole: boolean;
};

/** Triggers for every unanswered comment since the cursor (null: since the record's newest entry). Null if a list could not be read. */
export async function sweep(
  open: OpenLab,
  cursor: SweepCursor | null,
  troubles: Trouble[],
): Promise<Swept | null> {
  const { lab, store } = open;
  const startedAt = lab.now();
  const from = cursor ?? firstCursor(store.current(), startedAt);
  const read = {
    comment: await listNewComments(lab.client, 'comment', from.comment, SWEEP_PAGES_MAX),
    lines: await listNewComments(lab.client, 'review-comment', from['review-comment'], SWEEP_PAGES_MAX),
  };
  if (read.comment.kind === 'unknown') return failed(open, read.comment.why);
  if (read.lines.kind === 'unknown') return failed(open, read.lines.why);
  const reviews: SweptComment[] = [];
  let areReviewsRead = true;
  for (const pull of pullsOf(store.current(), from.review)) {
    const listed = await listNewReviews(lab.client, pull, from.review, SWEEP_PAGES_MAX);
    if (listed.kind === 'known') reviews.push(...listed.value);
    else {
      lab.log(`sweep: ${listed.why}`);
      areReviewsRead = false;
    }
  }
  const comment = within(open, read.comment.value, from.comment, troubles);
  const lines = within(open, read.lines.value, from['review-comment'], troubles);
  const wanted = [...comment.found, ...lines.found, ...wantedOf(open, reviews, troubles)];
  return {
    triggers: wanted.map(triggerOf),
    cursor: {
      comment: nextOf(comment, from.comment),
      'review-comment': nextOf(lines, from['review-comment']),
      review: areReviewsRead ? after(startedAt, -limits.sweepSlackMs) : from.review,
    },
    isWhole: comment.isWhole && lines.isWhole,
  };
}

function failed({ lab }: OpenLab, why: string): null {
  lab.log(`sweep: ${why}`);
  return null;
}

/** The trigger for a comment that a sweep found. */
export function triggerOf({ surface, id, thread, author, at }: SweptComment): ReconcileRequest {
  return {
    kind: 'comment',
    surface,
    comment: id,
    thread,
    hasSlash: true,
    from: author,
    at,
  };
}

/**
 * The unanswered comments in as many threads as one trigger reads. The first second is always read whole, so that a
 * flood within one second cannot block the sweep.
 */
function within(open: OpenLab, listing: Listing, since: Instant, troubles: Trouble[]): Listing {
  const found: SweptComment[] = [];
  const threads = new Set<number>();
  for (const comment of wantedOf(open, listing.found, troubles)) {
    const isFull = threads.size >= limits.journalThreadsPerTriggerMax && !threads.has(comment.thread);
    if (isFull && comment.at > since) return { found, next: comment.at, isWhole: false };
    threads.add(comment.thread);
    found.push(comment);
  }
  return { ...listing, found };
}

/** Overlaps with the last read, because a list may lack the newest comments. */
function nextOf({ next, isWhole }: Pick<Listing, 'next' | 'isWhole'>, since: Instant): Instant {
  if (!isWhole) return next;
  const slack = after(next, -limits.sweepSlackMs);
  return slack < since ? since : slack;
}

/** Comments of people with an unanswered command. */
export function wantedOf(
  open: OpenLab,
  found: readonly SweptComment[],
  troubles: Trouble[],
): readonly SweptComment[] {
  const { runs, journal } = open.store.current();
  const known = byComment(new Map([...runs.flatMap((run) => [...run.commands]), ...journal.commands]));
  const actions = [...runs.flatMap((run) => run.actions), ...journal.actions];
  const isWanted = (comment: SweptComment): boolean =>
    !comment.isBot &&
    openIn(comment, known.get(commentName(comment)) ?? [], open.config.otherBots).some(({ said }) =>
      isForUs(said, { thread: comment.thread, createdAt: comment.at }, actions),
    );
  const whereOf = (comment: SweptComment): Where => inComment(open, comment.thread, comment);
  return containedEach(open, troubles, found, whereOf, (comment) => (isWanted(comment) ? [comment] : []));
}

/** Pull requests with reviews that may hold commands: those of live runs, of broken records and of runs that ended recently. */
export function pullsOf({ runs, broken }: Pick<Record, 'runs' | 'broken'>, since: number): readonly number[] {
  const isRecent = (run: RunState): boolean =>
    !isOver(run) || (fromRfc3339(run.head.at) ?? 0) >= since - limits.sweepLookbackMs;
  const known = [...runs, ...broken.flatMap(({ state }) => (state === null ? [] : [state]))];
  const pulls = known.filter((run) => isRecent(run) && !isIssueFirst(run.proposal));
  return [...new Set(pulls.map((run) => run.proposal.pull))];
}

/** A new process starts at the newest record, and at least some days back. */
function firstCursor(record: Record, now: Instant): SweepCursor {
  const heads = [
    ...record.runs.map((run) => run.head.at),
    ...(record.journal.head === null ? [] : [record.journal.head.at]),
  ];
  const newest = Math.max(0, ...heads.map((at) => fromRfc3339(at) ?? 0));
  const lookback = now - limits.sweepLookbackMs;
  const since = after(now, Math.min(newest === 0 ? lookback : newest, lookback) - now);
  return { comment: since, 'review-comment': since, review: since };
}
