/**
 * Lists new comments on every surface, to recover from lost webhooks (docs.github.com/rest/issues/comments, /pulls/comments,
 * /pulls/reviews).
 */

import { z } from 'zod';
import type { Surface } from '../domain/actor.ts';
import { isOutsider } from '../domain/reconcile-request.ts';
import { type Instant, known, type Observed, toRfc3339, unknown } from '../domain/values.ts';
import { type GitHubClient, PAGE_ROWS, read, readPages } from './call.ts';
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

const said = {
  id: z.number().int(),
  body: z.string().nullish(),
  author_association: z.string().nullish(),
  user: z.object({ id: z.number().int(), login: z.string(), type: z.string() }).nullish(),
};
const written = z
  .object({
    ...said,
    issue_url: z.string().optional(),
    pull_request_url: z.string().optional(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .refine((row) => (row.issue_url ?? row.pull_request_url) !== undefined);
const reviewSchema = z.object({ ...said, submitted_at: z.string().nullish() });
const ROUTES = {
  comment: 'GET /repos/{owner}/{repo}/issues/comments',
  'review-comment': 'GET /repos/{owner}/{repo}/pulls/comments',
} as const;
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
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const range = { since: toRfc3339(next), sort: 'updated', direction: 'asc', per_page: PAGE_ROWS, page };
    const listed = await read(client, ROUTES[surface], z.array(written), range);
    if (listed.kind === 'unknown') return listed;
    for (const row of listed.value)
      found.set(`${row.id}`, {
        surface,
        ...writtenIn(row),
        thread: Number((row.issue_url ?? row.pull_request_url ?? '').split('/').at(-1)),
        isEdited: row.updated_at !== row.created_at,
        createdAt: instantOf(row.created_at),
        at: instantOf(row.updated_at),
      });
    const newest = listed.value.at(-1)?.updated_at;
    const last = newest === undefined ? next : instantOf(newest);
    if (listed.value.length < PAGE_ROWS)
      return known({ found: [...found.values()], next: last, isWhole: true });
    // More comments within one second than a page holds need page numbers.
    page = last > next ? 1 : page + 1;
    next = last;
  }
  return known({ found: [...found.values()], next, isWhole: false });
}

/** Reviews submitted since; GitHub lists them oldest first and has no `since`. */
export async function listNewReviews(
  client: GitHubClient,
  pull: number,
  since: Instant,
  pagesMax: number,
): Promise<Observed<readonly SweptComment[]>> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const read = await readPages(client, route, reviewSchema, { pull_number: pull, pagesMax });
  if (read.kind === 'unknown') return read;
  if (!read.value.isWhole) return unknown(`#${pull} has more reviews than are read`);
  return known(
    read.value.rows.flatMap((row): SweptComment[] => {
      // Drafts are private.
      if (row.submitted_at == null) return [];
      const at = instantOf(row.submitted_at);
      if (at < since) return [];
      const place = { surface: 'review', thread: pull, isEdited: false } as const;
      return [{ ...place, ...writtenIn(row), createdAt: at, at }];
    }),
  );
}

function writtenIn({
  id,
  body,
  user,
  author_association,
}: Omit<z.infer<typeof reviewSchema>, 'submitted_at'>): Pick<
  SweptComment,
  'id' | 'body' | 'isBot' | 'author'
> {
  const isOutside = isOutsider(author_association);
  return {
    id,
    body: body ?? '',
    isBot: user?.type !== 'User',
    author: { id: user?.id ?? 0, login: user?.login ?? '', isOutsider: isOutside },
  };
}
