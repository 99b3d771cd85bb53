/**
 * Lists new comments on every surface, to recover from lost webhooks (docs.github.com/rest/issues/comments, /pulls/comments,
 * /pulls/reviews).
 */

import { z } from 'zod';
import type { Surface } from '../domain/command.ts';
import type { Instant } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { isOutsider } from '../domain/reconcile-request.ts';
import { toRfc3339 } from '../domain/time.ts';
import { call, type GitHubClient } from './call.ts';
import { instantOf } from './thread-comments.ts';

/** `at`: time of the last edit. */
export type SweptComment = {
  readonly surface: Surface;
  readonly id: number;
  readonly thread: number;
  readonly body: string;
  readonly isBot: boolean;
  /** REST has no edit flag, so any later update counts. */
  readonly isEdited: boolean;
  readonly author: { readonly id: number; readonly login: string; readonly isOutsider: boolean };
  readonly createdAt: Instant;
  readonly at: Instant;
};

/** Oldest first. `next`: where the next pass continues; `isWhole`: nothing is left. */
export type Listing = {
  readonly found: readonly SweptComment[];
  readonly next: Instant;
  readonly isWhole: boolean;
};

const writer = z.object({ id: z.number().int(), login: z.string(), type: z.string() }).nullish();
const written = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  author_association: z.string().nullish(),
  user: writer,
});
const lists = {
  comment: z.array(written.extend({ issue_url: z.string() })),
  'review-comment': z.array(written.extend({ pull_request_url: z.string() })),
} as const;
const ROUTES = {
  comment: 'GET /repos/{owner}/{repo}/issues/comments',
  'review-comment': 'GET /repos/{owner}/{repo}/pulls/comments',
} as const;
const reviewsSchema = z.array(
  z.object({
    id: z.number().int(),
    body: z.string().nullish(),
    submitted_at: z.string().nullish(),
    author_association: z.string().nullish(),
    user: writer,
  }),
);

const PAGE = 100;

/**
 * Comments written or edited since, oldest first; unknown if a page could not be read. Pages by time, not by number, because an edit moves
 * a comment to the end and shifts the others.
 */
export async function listNewComments(
  client: GitHubClient,
  surface: 'comment' | 'review-comment',
  since: Instant,
  pagesMax: number,
): Promise<Observed<Listing>> {
  const found = new Map<string, SweptComment>();
  let next = since;
  let page = 1;
  for (let read = 0; read < pagesMax; read += 1) {
    const range = { since: toRfc3339(next), sort: 'updated', direction: 'asc', per_page: PAGE, page };
    const outcome = await call(client, ROUTES[surface], range);
    const parsed = outcome.kind === 'answered' ? lists[surface].safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown(`new ${surface}s could not be listed`);
    for (const row of parsed.data) found.set(`${row.id}`, sweptOf(surface, row));
    const newest = parsed.data.at(-1)?.updated_at;
    const last = newest === undefined ? next : instantOf(newest);
    if (parsed.data.length < PAGE) return known({ found: [...found.values()], next: last, isWhole: true });
    // More comments within one second than a page holds need page numbers.
    page = last > next ? 1 : page + 1;
    next = last;
  }
  return known({ found: [...found.values()], next, isWhole: false });
}

type Row = z.infer<typeof written> & { readonly issue_url?: string; readonly pull_request_url?: string };

function sweptOf(surface: 'comment' | 'review-comment', row: Row): SweptComment {
  return {
    surface,
    id: row.id,
    thread: Number((row.issue_url ?? row.pull_request_url ?? '').split('/').at(-1)),
    body: row.body ?? '',
    isBot: row.user?.type !== 'User',
    isEdited: row.updated_at !== row.created_at,
    author: authorOf(row),
    createdAt: instantOf(row.created_at),
    at: instantOf(row.updated_at),
  };
}

/** Reviews submitted since; GitHub lists them oldest first and has no `since`. */
export async function listNewReviews(
  client: GitHubClient,
  pull: number,
  since: Instant,
  pagesMax: number,
): Promise<Observed<readonly SweptComment[]>> {
  const found: SweptComment[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
      pull_number: pull,
      per_page: PAGE,
      page,
    });
    const parsed = outcome.kind === 'answered' ? reviewsSchema.safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown(`the reviews of #${pull} could not be listed`);
    for (const row of parsed.data) {
      // Drafts are private.
      if (row.submitted_at === null || row.submitted_at === undefined) continue;
      const at = instantOf(row.submitted_at);
      if (at < since) continue;
      const author = authorOf(row);
      const { id, body } = row;
      const isBot = row.user?.type !== 'User';
      found.push({
        surface: 'review',
        id,
        thread: pull,
        body: body ?? '',
        isBot,
        isEdited: false,
        author,
        createdAt: at,
        at,
      });
    }
    if (parsed.data.length < PAGE) return known(found);
  }
  return unknown(`#${pull} has more reviews than are read`);
}

function authorOf({
  user,
  author_association,
}: Pick<Row, 'user' | 'author_association'>): SweptComment['author'] {
  return { id: user?.id ?? 0, login: user?.login ?? '', isOutsider: isOutsider(author_association) };
}
