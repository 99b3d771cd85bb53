/** Finds what no webhook reported: unanswered comments on every surface, and threads that request a run. */

import { z } from 'zod';
import { limits } from '../../domain/limits.ts';
import { isOver } from '../../domain/logbook/run-state.ts';
import { commentId } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { addMs, fromRfc3339, type Instant, isInstant, known, type Observed } from '../../domain/values.ts';
import { type ListedThread, listUpdatedThreads } from '../../github/issues.ts';
import {
  type CommentListing,
  type ListedComment,
  listNewComments,
  listNewReviews,
} from '../../github/thread-comments.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { allLanes } from '../../run/lane.ts';
import { groupByComment, isAddressedToBot, listOpenItems } from '../../run/pending-commands.ts';
import { listRequestLabels } from '../../run/proposals.ts';
import { guard, guardEach, type Location, locateComment, type Trouble } from '../contained-errors.ts';
import type { OpenLab } from '../open-lab.ts';
import { listLabelled, listLaneLabels, listWaiting } from '../propose/requests.ts';
import type { Record } from '../record-files.ts';

/** Maximum pages of 100 comments or pull requests per pass. */
const SWEEP_PAGES_MAX = 20;

const instant = z.custom<Instant>((ms) => typeof ms === 'number' && isInstant(ms));

/** Read position in each list, in GitHub's times. Without new items it stays the same, so that the next request is answered with 304. */
export const sweepCursor = z.object({
  comment: instant,
  'review-comment': instant,
  /** Position in the list of changed pull requests and issues. */
  threads: instant,
  /** Pull requests with unread reviews, because there were too many or GitHub did not answer. */
  unread: z.array(z.number().int()).readonly(),
});

export type SweepCursor = Readonly<z.infer<typeof sweepCursor>>;

type Swept = {
  readonly triggers: readonly ReconcileRequest[];
  /** Use it for the next sweep, once all these triggers are handled. */
  readonly cursor: SweepCursor;
  /** False if a limit was reached; the next pass then continues from the cursor. */
  readonly isWhole: boolean;
};

/**
 * Returns triggers for every unanswered comment, and every thread that requests a run, since the cursor (null: since the record's newest
 * entry). Null if the comments could not be listed.
 */
export async function sweepLab(open: OpenLab, cursor: SweepCursor | null, troubles: Trouble[]): Promise<Swept | null> {
  const { lab, store } = open;
  const from = cursor ?? firstCursor(store.current(), lab.now());
  const changed = await listChangedThreads(open, from.threads, cursor === null);
  const quiet: Observed<CommentListing> = known({ found: [], next: changed.at, isWhole: true });
  const { unread } = changed;
  const read = {
    comment: await list(open, 'comment', from),
    lines: unread === null || unread.some(({ isPull }) => isPull) ? await list(open, 'review-comment', from) : quiet,
  };
  if (read.comment.kind === 'unknown') return logSweepFailure(open, read.comment.why);
  if (read.lines.kind === 'unknown') return logSweepFailure(open, read.lines.why);
  const threads = await sweepThreads(open, from, changed, troubles);
  const comment = limitThreads(open, read.comment.value, from.comment, troubles);
  const lines = limitThreads(open, read.lines.value, from['review-comment'], troubles);
  return {
    triggers: [...[...comment.found, ...lines.found].map(toTrigger), ...threads.triggers],
    cursor: {
      comment: nextSince(comment, from.comment),
      'review-comment': nextSince(lines, from['review-comment']),
      threads: threads.threads,
      unread: threads.unread,
    },
    isWhole: comment.isWhole && lines.isWhole,
  };
}

function list({ lab }: OpenLab, surface: 'comment' | 'review-comment', from: SweepCursor) {
  return listNewComments(lab.client, surface, from[surface], SWEEP_PAGES_MAX);
}

/**
 * `moved`: threads that changed since the cursor. `unread`: those whose reviews the sweep must list; null: all, because the list is
 * incomplete or this process keeps a cursor, which GitHub answers with 304.
 */
type ChangedThreads = {
  readonly at: Instant;
  readonly isFirst: boolean;
  readonly moved: readonly ListedThread[];
  readonly unread: readonly ListedThread[] | null;
};

/** In a new process each live run reads its own threads with their reviews in one request, so the sweep lists other reviews only. */
async function listChangedThreads(open: OpenLab, since: Instant, isFirst: boolean): Promise<ChangedThreads> {
  const { lab, store } = open;
  const at = lab.now();
  const listed = await listUpdatedThreads(lab.client, since, SWEEP_PAGES_MAX);
  if (listed.kind === 'unknown') {
    lab.log(`sweep: ${listed.why}`);
    return { at, isFirst, moved: [], unread: null };
  }
  const { moved, isWhole } = listed.value;
  if (!isWhole) lab.log('sweep: more threads changed than one sweep lists');
  if (!isFirst || !isWhole) return { at, isFirst, moved, unread: null };
  const live = store.current().runs.filter((run) => !isOver(run));
  const theirs = new Set(live.flatMap(({ proposal }) => [proposal.pull, proposal.issue]));
  return { at, isFirst, moved, unread: moved.filter(({ number }) => !theirs.has(number)) };
}

/** Changed threads: threads that request a run, and commands in reviews of pull requests that ferrybot answers in. */
async function sweepThreads(
  open: OpenLab,
  { threads: since, unread }: SweepCursor,
  changed: ChangedThreads,
  troubles: Trouble[],
): Promise<Pick<Swept, 'triggers'> & Pick<SweepCursor, 'threads' | 'unread'>> {
  const { store } = open;
  const { at: startedAt, moved, isFirst } = changed;
  const { runs, broken } = store.current();
  const answered = new Set(
    [...runs, ...broken.flatMap(({ state }) => state ?? [])].map(({ proposal }) => proposal.pull),
  );
  const pulls = new Set([
    ...unread,
    ...(changed.unread ?? moved).flatMap(({ number, isPull, labels }) =>
      isPull && (answered.has(number) || labels.includes(EXPERIMENT)) ? [number] : [],
    ),
  ]);
  const triggers = [...(await listLabelTriggers(open, moved, isFirst))];
  const [due, left] = [[...pulls].slice(0, limits.otherPullsMax), [...pulls].slice(limits.otherPullsMax)];
  for (const pull of due) {
    const from = unread.includes(pull) ? addMs(startedAt, -limits.sweepLookbackMs) : since;
    const where = { run: JOURNAL, thread: pull };
    const found = await guard(open, troubles, where, () => listReviewTriggers(open, pull, from, troubles));
    if (found === null) left.push(pull);
    else triggers.push(...found);
  }
  const threads = moved.length === 0 ? since : addMs(startedAt, -limits.sweepSlackMs);
  return { triggers, threads, unread: left };
}

const EXPERIMENT = 'experiment';

/** Changed threads with a lane's label, threads that wait for a lane with room, and experiment issues without a run. */
async function listLabelTriggers(
  open: OpenLab,
  moved: readonly ListedThread[],
  isFirst: boolean,
): Promise<readonly ReconcileRequest[]> {
  const found = moved.flatMap(({ number, isOpen, labels }): ReconcileRequest[] =>
    isOpen ? [{ kind: 'thread', thread: number, labels }] : [],
  );
  for (const config of allLanes(open.config))
    for (const thread of await listWaiting({ ...open, config }))
      found.push({ kind: 'thread', thread, labels: listRequestLabels(config) });
  const labelled = listLabelled(open, found).map(
    (thread): ReconcileRequest => ({ kind: 'thread', thread, labels: listLaneLabels(open) }),
  );
  // A new process skips experiments, because webhooks already reported them.
  if (isFirst) return labelled;
  const hasRun = (thread: number): boolean =>
    open.store.current().runs.some((run) => !isOver(run) && run.proposal.issue === thread);
  const experiments = moved.filter(
    ({ number, isPull, isOpen, labels }) => !isPull && isOpen && labels.includes(EXPERIMENT) && !hasRun(number),
  );
  return [
    ...labelled,
    ...experiments
      .slice(0, limits.journalThreadsPerTriggerMax)
      .map(({ number }): ReconcileRequest => ({ kind: 'thread', thread: number, isExperiment: true })),
  ];
}

/** Null if the reviews could not be read. */
async function listReviewTriggers(
  open: OpenLab,
  pull: number,
  since: Instant,
  troubles: Trouble[],
): Promise<readonly ReconcileRequest[] | null> {
  const listed = await listNewReviews(open.lab.client, pull, since, SWEEP_PAGES_MAX);
  if (listed.kind === 'known') return selectCommandComments(open, listed.value, troubles).map(toTrigger);
  open.lab.log(`sweep: ${listed.why}`);
  return null;
}

function logSweepFailure({ lab }: OpenLab, why: string): null {
  lab.log(`sweep: ${why}`);
  return null;
}

function toTrigger({ surface, id, thread, author, at }: ListedComment): ReconcileRequest {
  return { kind: 'comment', surface, comment: id, thread, hasSlash: true, from: author, at };
}

/**
 * The unanswered comments of as many threads as one trigger handles. Always includes the whole first second, so that a flood within one
 * second cannot block the sweep.
 */
function limitThreads(open: OpenLab, listing: CommentListing, since: Instant, troubles: Trouble[]): CommentListing {
  const found: ListedComment[] = [];
  const threads = new Set<number>();
  for (const comment of selectCommandComments(open, listing.found, troubles)) {
    const isFull = threads.size >= limits.journalThreadsPerTriggerMax && !threads.has(comment.thread);
    if (isFull && comment.at > since) return { found, next: comment.at, isWhole: false };
    threads.add(comment.thread);
    found.push(comment);
  }
  return { ...listing, found };
}

/** Overlaps with the last read, because GitHub's list may not show the newest comments yet. */
function nextSince({ next, isWhole }: Pick<CommentListing, 'next' | 'isWhole'>, since: Instant): Instant {
  if (!isWhole) return next;
  const slack = addMs(next, -limits.sweepSlackMs);
  return slack < since ? since : slack;
}

/** Comments by people that contain an unanswered command. */
function selectCommandComments(
  open: OpenLab,
  found: readonly ListedComment[],
  troubles: Trouble[],
): readonly ListedComment[] {
  const { runs, journal } = open.store.current();
  const known = groupByComment(new Map([...runs.flatMap((run) => [...run.commands]), ...journal.commands]));
  const actions = [...runs.flatMap((run) => run.actions), ...journal.actions];
  const containsCommand = (comment: ListedComment): boolean =>
    !comment.isBot &&
    listOpenItems(comment, known.get(commentId(comment)) ?? [], open.config.otherBots).some(({ parsed }) =>
      isAddressedToBot(parsed, { thread: comment.thread, createdAt: comment.at }, actions),
    );
  const locate = (comment: ListedComment): Location => locateComment(open, comment.thread, comment);
  const select = (comment: ListedComment) => (containsCommand(comment) ? [comment] : []);
  return guardEach(open, troubles, found, { locationOf: locate, work: select });
}

/** A new process starts at the record's newest entry, but at least some days back. */
function firstCursor(record: Record, now: Instant): SweepCursor {
  const heads = [
    ...record.runs.map((run) => run.head.at),
    ...(record.journal.head === null ? [] : [record.journal.head.at]),
  ];
  const newest = Math.max(0, ...heads.map((at) => fromRfc3339(at) ?? 0));
  const lookback = now - limits.sweepLookbackMs;
  const since = addMs(now, Math.min(newest === 0 ? lookback : newest, lookback) - now);
  return { comment: since, 'review-comment': since, threads: since, unread: [] };
}
