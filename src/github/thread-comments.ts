/** What was said in one thread, on all surfaces, read back to a moment: comments, review bodies and review comments as facts. */

import { type Actor, permits } from '../domain/actor.ts';
import type { Surface } from '../domain/command.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { type Digest, type Instant, isSha, type Sha } from '../domain/ids.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { known, type Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { withoutTokens } from '../domain/written-secrets.ts';
import type { GitHubClient } from './call.ts';
import { readPermission } from './permission.ts';
import { readOn } from './thread-pages.ts';
import {
  type AuthorAnswer,
  COMMENTS_CONNECTION,
  type CommentAnswer,
  type IssueAnswer,
  LINE_COMMENTS_CONNECTION,
  REVIEWS_CONNECTION,
  type ReviewAnswer,
  type ThreadsAnswer,
} from './thread-schema.ts';

/** Texts of comments of which a process remembers that nothing in them looks like a token: those of two full threads. */
const COMMENT_TEXTS_KEPT = 40_000;
/** Characters of texts without their tokens that a process keeps: 500 of the longest. */
export const COMMENT_CHARACTERS_KEPT = 32_000_000;
/** By the digest of the text as it was written; null: nothing in it looks like a token. */
const searched = new Map<Digest, string | null>();

/** SHA-256 over UTF-8 text. */
type DigestOf = (text: string) => Digest;

/**
 * What reading a comment needs besides its text. `ownBots`: the names under which ferrybot speaks here. The server
 * speaks as the App and the watch as github-actions: each must know the other's comments for its own.
 */
export type Reading = {
  readonly digestOf: DigestOf;
  readonly ownBots: readonly string[];
  /** Files under .github/workflows/ that are ferrybot's: their checks are no condition of a launch. */
  readonly ownWorkflows: readonly string[];
  /** Verifies the marker of a text that stands in a thread. */
  readonly markerOf: ReadMarker;
  /** The same for the body of an issue or a pull request, which may have been sealed before it had a number. */
  readonly issueMarkerOf: ReadMarker;
};

/** The first page of a thread as GraphQL answered it. `reviews` is missing on an issue. */
export type ThreadPage = {
  readonly id: string;
  readonly number: number;
  readonly comments: IssueAnswer['comments'];
  readonly reviews?: ThreadsAnswer['repository']['pullRequest']['reviews'] | undefined;
};

/**
 * Everything said in the thread since the moment (null = ever), in no order. Unknown where a page cannot be read or
 * there is more than `THREAD_COMMENTS_MAX`. Reviews are read whole: a draft counts from when it was submitted. Of the
 * lines of a stranger's review the newest page is read.
 */
export async function commentsOf(
  client: GitHubClient,
  thread: ThreadPage,
  since: Instant | null,
  reading: Reading,
): Promise<Observed<readonly CommentFacts[]>> {
  const isOld = since === null ? null : ({ createdAt }: CommentAnswer) => instantOf(createdAt) < since;
  const comments = await readOn(client, thread.id, COMMENTS_CONNECTION, thread.comments, isOld);
  if (comments.kind === 'unknown') return comments;
  const found = comments.value.map((c) => commentOf(c, 'comment', thread.number, reading));
  if (thread.reviews === undefined) return known(found);
  const reviews = await readOn(client, thread.id, REVIEWS_CONNECTION, thread.reviews, null);
  if (reviews.kind === 'unknown') return reviews;
  const isUntrusted = untrustedCheck(client);
  for (const review of reviews.value) {
    if (review.submittedAt === null) continue;
    const { pageInfo, nodes } = review.comments;
    // Each review with more lines is a request of its own, and anybody may write a hundred of them an hour.
    const lines =
      pageInfo.hasPreviousPage && (await isUntrusted(review.author))
        ? known(nodes)
        : await readOn(client, review.id, LINE_COMMENTS_CONNECTION, review.comments, null);
    if (lines.kind === 'unknown') return lines;
    found.push(...submitted(review, review.submittedAt, lines.value, thread.number, reading));
  }
  return known(found);
}

/** Whether GitHub says that somebody has no role here; each is asked about once. */
function untrustedCheck(client: GitHubClient): (author: AuthorAnswer) => Promise<boolean> {
  const told = new Map<number, boolean>();
  return async (author) => {
    const actor = actorOf(author);
    if (isBot(author)) return false;
    const held = told.has(actor.id) ? null : await readPermission(client, actor);
    if (held !== null) told.set(actor.id, held.kind === 'known' && !permits(held.value, 'triage'));
    return told.get(actor.id) === true;
  };
}

function submitted(
  review: ReviewAnswer,
  submittedAt: string,
  lines: readonly CommentAnswer[],
  thread: number,
  reading: Reading,
): readonly CommentFacts[] {
  const said = [
    commentOf(review, 'review', thread, reading),
    ...lines.map((line) => commentOf(line, 'review-comment', thread, reading)),
  ];
  const from = instantOf(submittedAt);
  return said.map((one) => (one.createdAt >= from ? one : { ...one, createdAt: from }));
}

/** One comment, review or review comment as facts. */
export function commentOf(
  comment: CommentAnswer,
  surface: Surface,
  thread: number,
  reading: Reading,
): CommentFacts {
  const byUs = comment.viewerDidAuthor || isOwnBot(comment.author, reading.ownBots);
  const bodyDigest = reading.digestOf(comment.body);
  return {
    surface,
    id: comment.databaseId,
    nodeId: comment.id,
    thread,
    author: actorOf(comment.author),
    authorIsBot: isBot(comment.author),
    byUs,
    byOwnApp: comment.viewerDidAuthor,
    marker: byUs ? reading.markerOf(thread, comment.body) : null,
    // What somebody pastes by mistake is deleted from a comment and never from a record: arguments go there from here.
    body: byUs ? comment.body : textWithoutTokens(comment.body, bodyDigest),
    bodyDigest,
    createdAt: instantOf(comment.createdAt),
    updatedAt: instantOf(comment.updatedAt),
    editedAt: comment.lastEditedAt === null ? null : instantOf(comment.lastEditedAt),
    minimized: comment.isMinimized,
    commit: surface === 'review' ? shaOf(comment.commit?.oid) : null,
  };
}

function isOwnBot(author: AuthorAnswer, names: readonly string[]): boolean {
  return author?.__typename === 'Bot' && names.includes(author.login.replace(/\[bot\]$/, ''));
}

/** Who wrote it. A deleted account has no id any more: 0 is nobody's id and may nothing. */
export function actorOf(author: AuthorAnswer): Actor {
  return { id: author?.databaseId ?? 0, login: author?.login ?? 'ghost' };
}

/** Whatever is not positively a person (apps, mannequins, ghosts) never commands. */
export function isBot(author: AuthorAnswer): boolean {
  return author?.__typename !== 'User';
}

function shaOf(text: string | undefined): Sha | null {
  return text !== undefined && isSha(text) ? text : null;
}

/** A time as GitHub sends it. Throws for one that is none: the answer's shape was checked. */
export function instantOf(text: string): Instant {
  const at = fromRfc3339(text);
  if (at === null) throw new Error(`GitHub sent no time: ${text}`);
  return at;
}

let charactersKept = 0;

/**
 * A person's text as it may be recorded. `digest` stands for the text, so that an edit is searched anew. A clean text is kept
 * as that alone; of the others those asked for last, so that nobody fills the memory with tokens.
 */
export function textWithoutTokens(text: string, digest: Digest): string {
  const before = searched.get(digest);
  const found = before === undefined ? withoutTokens(text) : (before ?? text);
  const kept = found === text ? null : found;
  forget(digest);
  searched.set(digest, kept);
  charactersKept += kept?.length ?? 0;
  for (const oldest of searched.keys()) {
    if (searched.size <= COMMENT_TEXTS_KEPT && charactersKept <= COMMENT_CHARACTERS_KEPT) break;
    forget(oldest);
  }
  return found;
}

function forget(digest: Digest): void {
  charactersKept -= searched.get(digest)?.length ?? 0;
  searched.delete(digest);
}
