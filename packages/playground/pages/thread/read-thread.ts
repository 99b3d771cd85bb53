/** Reads everything for a thread's page: one issue or pull request with its comments and checks. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../api/api.ts';
import { type ApiCommit, type ApiLabel, commitShape, labelShape } from '../api/repo-shapes.ts';
import { type ApiCheckRun, checkRunShape } from '../api/run-shapes.ts';
import {
  type ApiComment,
  type ApiIssue,
  type ApiPull,
  type ApiReview,
  type ApiReviewComment,
  commentShape,
  issueShape,
  pullShape,
  reviewCommentShape,
  reviewShape,
} from '../api/thread-shapes.ts';
import { pageLimits } from '../page-limits.ts';
import { findRepoLocation, type RepoLocation } from '../place.ts';
import type { Params, Visit } from '../visit.ts';
import { type Edits, readEdits } from './edits.ts';

export type PullPart = {
  readonly pull: ApiPull;
  readonly commits: readonly ApiCommit[];
  readonly reviews: readonly ApiReview[];
  readonly reviewComments: readonly ApiReviewComment[];
  readonly checks: readonly ApiCheckRun[];
};

export type Thread = {
  readonly place: RepoLocation;
  readonly issue: ApiIssue;
  /** The rendered comments: all of a short thread, the newest of a long one. */
  readonly comments: readonly ApiComment[];
  readonly earlier: Earlier;
  readonly edits: Edits;
  /** The repository's labels, to choose from. */
  readonly allLabels: readonly ApiLabel[];
  /** Null for an issue. */
  readonly pullPart: PullPart | null;
};

/** The comments of a long thread before the rendered ones. */
export type Earlier = {
  readonly count: number;
  /**
   * Yields a hundred at a time while the page is sent; null if a live update omits the comments that it already has.
   */
  readonly hundreds: (() => AsyncIterable<Answer<readonly ApiComment[]>>) | null;
};

/** Null when the speaker cannot see such a thread. */
export async function readThread(visit: Visit, params: Params): Promise<Thread | null> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return null;
  const at = `${place.api}/issues/${params['number'] ?? ''}`;
  const issue = await visit.api.get(at, issueShape);
  if (issue.kind === 'refused') return null;
  const [{ comments, earlier }, edits, labels] = await Promise.all([
    readComments(visit, `${at}/comments`, issue.data.comments),
    readEdits(visit, params),
    visit.api.list(`${place.api}/labels`, labelShape),
  ]);
  const isPull = issue.data.pull_request !== null && issue.data.pull_request !== undefined;
  return {
    place,
    issue: issue.data,
    comments,
    earlier,
    edits,
    allLabels: rows(labels),
    pullPart: isPull ? await readPullPart(visit, place, issue.data.number) : null,
  };
}

/**
 * Splits a long thread at a multiple of a hundred, so that the split rarely moves. A live update names its split and
 * gets what follows.
 */
async function readComments(visit: Visit, path: string, total: number): Promise<Pick<Thread, 'comments' | 'earlier'>> {
  const perPage = pageLimits.itemsPerRequest;
  const known = visit.request.knownEarlier;
  const isLong = total > pageLimits.commentsDrawnMax;
  const cut = known ?? (isLong ? Math.floor(total / perPage - 1) * perPage : 0);
  const pages = { first: cut / perPage + 1, count: pageLimits.commentPagesMax };
  const comments = rows(await visit.api.list(path, commentShape, undefined, pages));
  const hundreds = (): ReturnType<typeof readHundreds> => readHundreds(visit, path, cut / perPage);
  return { comments, earlier: { count: cut, hundreds: known === null ? hundreds : null } };
}

/** Yields to other requests between two pages: the page's own styles, and everything else the playground serves. */
async function* readHundreds(visit: Visit, path: string, count: number): AsyncGenerator<Answer<readonly ApiComment[]>> {
  for (let first = 1; first <= count; first += 1) {
    yield await visit.api.list(path, commentShape, undefined, { first, count: 1 });
    await nextTurn();
  }
}

/** Null when the number is not a pull request's. */
export async function readPullPart(visit: Visit, place: RepoLocation, number: number): Promise<PullPart | null> {
  const at = `${place.api}/pulls/${number}`;
  const pull = await visit.api.get(at, pullShape);
  if (pull.kind === 'refused') return null;
  const [commits, reviews, reviewComments, checks] = await Promise.all([
    visit.api.list(`${at}/commits`, commitShape),
    visit.api.list(`${at}/reviews`, reviewShape),
    visit.api.list(`${at}/comments`, reviewCommentShape),
    visit.api.list(`${place.api}/commits/${pull.data.head.sha}/check-runs`, checkRunShape, 'check_runs'),
  ]);
  return {
    pull: pull.data,
    commits: rows(commits),
    reviews: rows(reviews),
    reviewComments: rows(reviewComments),
    checks: rows(checks),
  };
}

/** A refused list is shown as empty: the page reports what the speaker may not see. */
function rows<Row>(answer: Answer<readonly Row[]>): readonly Row[] {
  return answer.kind === 'found' ? answer.data : [];
}
