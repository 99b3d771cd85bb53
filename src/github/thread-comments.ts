/** Reads a thread's comments, reviews and review comments as facts. */

import { z } from 'zod';
import { type Actor, permits, type Surface } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { isOutsideAuthor } from '../domain/reconcile-request.ts';
import {
  type Digest,
  fromRfc3339,
  type Instant,
  isSha,
  known,
  type Observed,
  type Sha,
  toRfc3339,
  unknown,
} from '../domain/values.ts';
import { maskTokens } from '../domain/written-secrets.ts';
import { type GitHubClient, PAGE_ROWS, queryGraphql, readPages, readRoute } from './call.ts';
import { readPermission } from './settings.ts';
import {
  type AuthorAnswer,
  COMMENTS_CONNECTION,
  type Connection,
  type commentSchema,
  type IssueAnswer,
  LINE_COMMENTS_CONNECTION,
  PAGE_INFO,
  pageInfoSchema,
  REVIEWS_CONNECTION,
  type ThreadsAnswer,
} from './thread-schema.ts';

type CommentAnswer = z.infer<typeof commentSchema>;

type Page<Node> = { readonly nodes: readonly Node[]; readonly pageInfo: z.infer<typeof pageInfoSchema> };

/** Eight times GitHub's own limit of comments per thread, so that a flood does not make a thread unknown. */
export const THREAD_COMMENTS_MAX = 20_000;

/** Enough for two full threads. */
const CLEAN_TEXTS_KEPT = 40_000;
const clean = new Set<Digest>();

type DigestOf = (text: string) => Digest;

/** `ownBots`: ferrybot's logins. The server posts as the App and the watch as github-actions; each must recognize the other's comments. */
export type ThreadReading = {
  readonly digestOf: DigestOf;
  readonly ownBots: readonly string[];
  /** ferrybot's files under .github/workflows/. Their checks are ignored. */
  readonly ownWorkflows: readonly string[];
  readonly markerOf: ReadMarker;
  /** The same for descriptions, which may be sealed before the thread has a number. */
  readonly issueMarkerOf: ReadMarker;
};

/** The first page of a thread; issues have no `reviews`. */
export type ThreadPage = {
  readonly id: string;
  readonly number: number;
  readonly comments: IssueAnswer['comments'];
  readonly reviews?: ThreadsAnswer['repository']['pullRequest']['reviews'] | undefined;
};

/**
 * Comments since the instant (null = all), unordered. Unknown if a page is unreadable or there are more than `THREAD_COMMENTS_MAX`. Reviews
 * are read completely, because a draft counts from its submission; of an outsider's review, only the newest page of lines is read.
 */
export async function readComments(
  client: GitHubClient,
  thread: ThreadPage,
  since: Instant | null,
  reading: ThreadReading,
): Promise<Observed<readonly CommentFacts[]>> {
  const isOld = since === null ? undefined : ({ createdAt }: CommentAnswer) => parseInstant(createdAt) < since;
  const comments = await readRemainingPages(client, thread.id, COMMENTS_CONNECTION, { first: thread.comments, isOld });
  if (comments.kind === 'unknown') return comments;
  const found = comments.value.map((c) => toCommentFacts(c, 'comment', thread.number, reading));
  if (thread.reviews === undefined) return known(found);
  const reviews = await readRemainingPages(client, thread.id, REVIEWS_CONNECTION, { first: thread.reviews });
  if (reviews.kind === 'unknown') return reviews;
  const isUntrusted = createUntrustedCheck(client);
  for (const review of reviews.value) {
    if (review.submittedAt === null) continue;
    const { pageInfo, nodes } = review.comments;
    // Each review with more lines costs a request, so limit them for outsiders.
    const lines =
      pageInfo.hasPreviousPage && (await isUntrusted(review.author))
        ? known(nodes)
        : await readRemainingPages(client, review.id, LINE_COMMENTS_CONNECTION, { first: review.comments });
    if (lines.kind === 'unknown') return lines;
    const said = [
      {
        ...toCommentFacts(review, 'review', thread.number, reading),
        ...(review.state === 'APPROVED' ? { approves: true as const } : {}),
      },
      ...lines.value.map((line) => toCommentFacts(line, 'review-comment', thread.number, reading)),
    ];
    found.push(...withSubmissionTime(parseInstant(review.submittedAt), said));
  }
  return known(found);
}

/** Asks GitHub once per person. */
function createUntrustedCheck(client: GitHubClient): (author: AuthorAnswer) => Promise<boolean> {
  const told = new Map<number, boolean>();
  return async (author) => {
    const actor = toActor(author);
    if (isBot(author)) return false;
    const held = told.has(actor.id) ? null : await readPermission(client, actor);
    if (held !== null) told.set(actor.id, held.kind === 'known' && !permits(held.value, 'triage'));
    return told.get(actor.id) === true;
  };
}

/** Moves what was written in a draft to the submission of the draft. */
function withSubmissionTime(from: Instant, said: readonly CommentFacts[]): readonly CommentFacts[] {
  return said.map((one) => (one.createdAt >= from ? one : { ...one, createdAt: from }));
}

/** Converts an answer to facts. */
export function toCommentFacts(
  comment: CommentAnswer,
  surface: Surface,
  thread: number,
  reading: ThreadReading,
): CommentFacts {
  const byUs = comment.viewerDidAuthor || isOwnBotAuthor(comment.author, reading.ownBots);
  const bodyDigest = reading.digestOf(comment.body);
  return {
    surface,
    id: comment.databaseId,
    nodeId: comment.id,
    thread,
    author: toActor(comment.author),
    authorIsBot: isBot(comment.author),
    isByOwnLogin: byUs,
    byOwnApp: comment.viewerDidAuthor,
    marker: byUs ? reading.markerOf(thread, comment.body) : null,
    // Tokens pasted by mistake must not reach the permanent record.
    body: byUs ? comment.body : maskTokensCached(comment.body, bodyDigest),
    bodyDigest,
    createdAt: parseInstant(comment.createdAt),
    updatedAt: parseInstant(comment.updatedAt),
    editedAt: comment.lastEditedAt === null ? null : parseInstant(comment.lastEditedAt),
    minimized: comment.isMinimized,
    commit: surface === 'review' ? parseSha(comment.commit?.oid) : null,
  };
}

function isOwnBotAuthor(author: AuthorAnswer, names: readonly string[]): boolean {
  return author?.__typename === 'Bot' && names.includes(author.login.replace(/\[bot\]$/, ''));
}

/** A deleted account has id 0, which has no permissions. */
export function toActor(author: AuthorAnswer): Actor {
  return { id: author?.databaseId ?? 0, login: author?.login ?? 'ghost' };
}

/** Anything except a user counts as a bot and cannot give commands. */
export function isBot(author: AuthorAnswer): boolean {
  return author?.__typename !== 'User';
}

function parseSha(text: string | undefined): Sha | null {
  return text !== undefined && isSha(text) ? text : null;
}

/** Throws for an invalid time. */
export function parseInstant(text: string): Instant {
  const at = fromRfc3339(text);
  if (at === null) throw new Error(`GitHub sent no time: ${text}`);
  return at;
}

/** A person's text without tokens. Few texts have one, so only those without are remembered, by their digest. */
export function maskTokensCached(text: string, digest: Digest): string {
  if (clean.delete(digest)) {
    clean.add(digest);
    return text;
  }
  const found = maskTokens(text);
  if (found === text) clean.add(digest);
  const [oldest] = clean;
  if (clean.size > CLEAN_TEXTS_KEPT && oldest !== undefined) clean.delete(oldest);
  return found;
}

/** `at`: time of the last edit. */
export type ListedComment = {
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

/** Oldest first. `next`: where the next pass continues. `isWhole`: the listing is complete. */
export type CommentListing = {
  readonly found: readonly ListedComment[];
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
): Promise<Observed<CommentListing>> {
  const found = new Map<string, ListedComment>();
  let next = since;
  let page = 1;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const range = { since: toRfc3339(next), sort: 'updated', direction: 'asc', per_page: PAGE_ROWS, page };
    const listed = await readRoute(client, ROUTES[surface], z.array(written), range);
    if (listed.kind === 'unknown') return listed;
    for (const row of listed.value)
      found.set(`${row.id}`, {
        surface,
        ...toSweptComment(row),
        thread: Number((row.issue_url ?? row.pull_request_url ?? '').split('/').at(-1)),
        isEdited: row.updated_at !== row.created_at,
        createdAt: parseInstant(row.created_at),
        at: parseInstant(row.updated_at),
      });
    const newest = listed.value.at(-1)?.updated_at;
    const last = newest === undefined ? next : parseInstant(newest);
    if (listed.value.length < PAGE_ROWS) return known({ found: [...found.values()], next: last, isWhole: true });
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
): Promise<Observed<readonly ListedComment[]>> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const read = await readPages(client, route, reviewSchema, { pull_number: pull, pagesMax });
  if (read.kind === 'unknown') return read;
  if (!read.value.isWhole) return unknown(`#${pull} has more reviews than are read`);
  return known(
    read.value.rows.flatMap((row): ListedComment[] => {
      // Drafts are private.
      if (row.submitted_at == null) return [];
      const at = parseInstant(row.submitted_at);
      if (at < since) return [];
      const place = { surface: 'review', thread: pull, isEdited: false } as const;
      return [{ ...place, ...toSweptComment(row), createdAt: at, at }];
    }),
  );
}

function toSweptComment({
  id,
  body,
  user,
  author_association,
}: Omit<z.infer<typeof reviewSchema>, 'submitted_at'>): Pick<ListedComment, 'id' | 'body' | 'isBot' | 'author'> {
  const isOutside = isOutsideAuthor(author_association);
  return {
    id,
    body: body ?? '',
    isBot: user?.type !== 'User',
    author: { id: user?.id ?? 0, login: user?.login ?? '', isOutsider: isOutside },
  };
}

/** `first`: the page that was already read. `isOld`: reads no page before the first old node. Without it, reads all pages. */
type PageExtent<Node> = { readonly first?: Page<Node>; readonly isOld?: ((node: Node) => boolean) | undefined };

/**
 * All nodes in the connection's order, back to the first old one.
 * Unknown if a page is unreadable, or beyond `THREAD_COMMENTS_MAX` nodes.
 */
export async function readRemainingPages<Schema extends z.ZodType>(
  client: GitHubClient,
  id: string,
  connection: Connection<Schema>,
  { first, isOld }: PageExtent<z.infer<Schema>>,
): Promise<Observed<readonly z.infer<Schema>[]>> {
  let nodes = first?.nodes ?? [];
  let cursor = first === undefined ? null : olderCursor(connection, first);
  for (let isUnread = first === undefined; isUnread || cursor !== null; isUnread = false) {
    const oldest = connection.newestFirst ? nodes.at(-1) : nodes[0];
    if (oldest !== undefined && isOld?.(oldest) === true) return known(nodes);
    if (nodes.length >= THREAD_COMMENTS_MAX)
      return unknown(`${connection.field} holds more than ${THREAD_COMMENTS_MAX} entries`);
    const older = { text: pageQuery(connection), schema: pageAnswerSchema(connection.node) };
    const read = await queryGraphql(client, older, { id, cursor });
    if (read.kind === 'unknown') return read;
    const page = read.value.node?.page;
    if (page === undefined) return unknown(`${connection.field} is not there any more`);
    nodes = connection.newestFirst ? [...nodes, ...page.nodes] : [...page.nodes, ...nodes];
    cursor = olderCursor(connection, page);
  }
  return known(nodes);
}

function olderCursor(
  { newestFirst }: Pick<Connection<z.ZodType>, 'newestFirst'>,
  { pageInfo }: Page<unknown>,
): string | null {
  if (newestFirst) return pageInfo.hasNextPage ? pageInfo.endCursor : null;
  return pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
}

function pageQuery({ types, field, selection, newestFirst }: Connection<z.ZodType>): string {
  const range = newestFirst ? 'first: 100, after: $cursor' : 'last: 100, before: $cursor';
  const page = `page: ${field}(${range}) { nodes { ${selection} } ${PAGE_INFO} }`;
  const parts = types.map((type) => `... on ${type} { ${page} }`).join(' ');
  return `query($id: ID!, $cursor: String) { node(id: $id) { ${parts} } }`;
}

function pageAnswerSchema<Node extends z.ZodType>(node: Node) {
  return z.object({
    node: z.object({ page: z.object({ nodes: z.array(node), pageInfo: pageInfoSchema }) }).nullable(),
  });
}
