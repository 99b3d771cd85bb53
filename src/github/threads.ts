/** Reads a run's pull request and issue with all that was said there: one request, parsed into facts. */

import type { Actor } from '../domain/actor.ts';
import type { Surface } from '../domain/command.ts';
import type { CheckFacts, CommentFacts, IssueFacts, PullFacts } from '../domain/facts.ts';
import { branded, type Digest, isSha } from '../domain/ids.ts';
import { known, type Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { GitHubClient } from './call.ts';
import { CHECKS_PLACE, checkFacts } from './checks-schema.ts';
import { query } from './graphql.ts';
import {
  type AuthorAnswer,
  type CommentAnswer,
  THREADS_QUERY,
  type ThreadsAnswer,
  threadsSchema,
} from './thread-schema.ts';

export type ThreadFacts = {
  readonly pull: PullFacts;
  readonly issue: IssueFacts;
  readonly comments: readonly CommentFacts[];
  readonly checks: Observed<readonly CheckFacts[]>;
};

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
};

/** The bots that are ferrybot in a lab; GraphQL names them without `[bot]`. */
export function ownBots(appSlug: string): readonly string[] {
  return [appSlug, 'github-actions'];
}

/** The two threads of a run; unknown where GitHub does not tell all of it. */
export async function readThreads(
  client: GitHubClient,
  pull: number,
  issue: number,
  reading: Reading,
): Promise<Observed<ThreadFacts>> {
  const answer = await query(
    client,
    THREADS_QUERY,
    { owner: client.owner, repo: client.repo, pull, issue },
    threadsSchema,
    CHECKS_PLACE,
  );
  return answer.kind === 'known' ? known(factsOf(answer.value, reading)) : answer;
}

function factsOf(answer: ThreadsAnswer, reading: Reading): ThreadFacts {
  const { pullRequest: pull, issue } = answer.repository;
  const reviewComments = pull.reviews.nodes.flatMap((review) => review.comments.nodes);
  return {
    pull: pullOf(pull, reading.digestOf),
    issue: {
      number: issue.number,
      state: issue.state === 'OPEN' ? 'open' : 'closed',
      title: issue.title,
      body: issue.body,
      labels: issue.labels.nodes.map((label) => label.name),
      updatedAt: instant(issue.updatedAt),
      writtenAt: instant(issue.lastEditedAt ?? issue.createdAt),
    },
    checks: checkFacts(pull.commits, pull.headRefOid, reading),
    comments: [
      ...pull.comments.nodes.map((c) => commentOf(c, 'comment', pull.number, reading)),
      ...issue.comments.nodes.map((c) => commentOf(c, 'comment', issue.number, reading)),
      ...pull.reviews.nodes.map((r) => commentOf(r, 'review', pull.number, reading)),
      ...reviewComments.map((c) => commentOf(c, 'review-comment', pull.number, reading)),
    ],
  };
}

function pullOf(pull: ThreadsAnswer['repository']['pullRequest'], digestOf: DigestOf): PullFacts {
  const edits = pull.userContentEdits?.nodes ?? [];
  const newestFirst = edits.toSorted((a, b) => b.editedAt.localeCompare(a.editedAt));
  return {
    number: pull.number,
    nodeId: pull.id,
    state: pull.state === 'OPEN' ? 'open' : 'closed',
    merged: pull.merged,
    title: pull.title,
    body: pull.body,
    bodyDigest: digestOf(pull.body),
    author: actorOf(pull.author),
    authorIsBot: isBot(pull.author),
    bodyEditors: newestFirst.filter((edit) => !isBot(edit.editor)).map((edit) => actorOf(edit.editor)),
    headSha: branded(pull.headRefOid, isSha),
    headBranch: pull.headRefName,
    headRepository: pull.headRepository?.nameWithOwner ?? null,
    baseBranch: pull.baseRefName,
    labels: pull.labels.nodes.map((label) => label.name),
  };
}

/** One comment or review as facts. */
export function commentOf(
  comment: CommentAnswer,
  surface: Surface,
  thread: number,
  reading: Reading,
): CommentFacts {
  return {
    surface,
    id: comment.databaseId,
    nodeId: comment.id,
    thread,
    author: actorOf(comment.author),
    authorIsBot: isBot(comment.author),
    byUs: comment.viewerDidAuthor || isOwnBot(comment.author, reading.ownBots),
    body: comment.body,
    bodyDigest: reading.digestOf(comment.body),
    createdAt: instant(comment.createdAt),
    updatedAt: instant(comment.updatedAt),
    editedAt: comment.lastEditedAt === null ? null : instant(comment.lastEditedAt),
    minimized: comment.isMinimized,
  };
}

function isOwnBot(author: AuthorAnswer, names: readonly string[]): boolean {
  return author?.__typename === 'Bot' && names.includes(author.login.replace(/\[bot\]$/, ''));
}

/** A deleted account has no id any more: 0 is nobody's id and may nothing. */
function actorOf(author: AuthorAnswer): Actor {
  return { id: author?.databaseId ?? 0, login: author?.login ?? 'ghost' };
}

/** Whatever is not positively a person (apps, mannequins, ghosts) never commands. */
function isBot(author: AuthorAnswer): boolean {
  return author?.__typename !== 'User';
}

function instant(text: string): NonNullable<ReturnType<typeof fromRfc3339>> {
  const at = fromRfc3339(text);
  if (at === null) throw new Error(`GitHub sent no time: ${text}`);
  return at;
}
