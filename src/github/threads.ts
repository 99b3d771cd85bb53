/** Reads a run's pull request and issue with all that was said there: one request for an ordinary thread, parsed into facts. */

import type { CheckFacts, CommentFacts, IssueFacts, PullFacts } from '../domain/facts.ts';
import { branded, type Instant, isSha } from '../domain/ids.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { CHECKS_PLACE, checkFacts } from './checks-schema.ts';
import { query } from './graphql.ts';
import { actorOf, commentsOf, instantOf, isBot, type Reading } from './thread-comments.ts';
import { readOn } from './thread-pages.ts';
import {
  EDITS_CONNECTION,
  type EditAnswer,
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

/** The bots that are ferrybot in a lab; GraphQL names them without `[bot]`. */
export function ownBots(appSlug: string): readonly string[] {
  return [appSlug, 'github-actions'];
}

/**
 * The two threads of a run, with what was said since a moment (null = ever; older comments may be among them).
 * Unknown where GitHub does not tell all of it.
 */
export async function readThreads(
  client: GitHubClient,
  pull: number,
  issue: number,
  reading: Reading,
  since: Instant | null = null,
): Promise<Observed<ThreadFacts>> {
  const variables = { owner: client.owner, repo: client.repo, pull, issue };
  const answer = await query(client, THREADS_QUERY, variables, threadsSchema, CHECKS_PLACE);
  if (answer.kind === 'unknown') return answer;
  const { pullRequest, issue: ferryIssue } = answer.value.repository;
  const inPull = await commentsOf(client, pullRequest, since, reading);
  if (inPull.kind === 'unknown') return inPull;
  const inIssue = await commentsOf(client, ferryIssue, since, reading);
  if (inIssue.kind === 'unknown') return inIssue;
  const edits =
    pullRequest.userContentEdits === null
      ? known([])
      : await readOn(client, pullRequest.id, EDITS_CONNECTION, pullRequest.userContentEdits, null);
  if (edits.kind === 'unknown') return edits;
  return known({
    pull: pullOf(pullRequest, edits.value, reading),
    issue: {
      number: ferryIssue.number,
      state: ferryIssue.state === 'OPEN' ? 'open' : 'closed',
      title: ferryIssue.title,
      body: ferryIssue.body,
      labels: ferryIssue.labels.nodes.map((label) => label.name),
      updatedAt: instantOf(ferryIssue.updatedAt),
      writtenAt: instantOf(ferryIssue.lastEditedAt ?? ferryIssue.createdAt),
    },
    checks: checkFacts(pullRequest.commits, pullRequest.headRefOid, reading),
    comments: [...inPull.value, ...inIssue.value],
  });
}

function pullOf(
  pull: ThreadsAnswer['repository']['pullRequest'],
  edits: readonly EditAnswer[],
  { digestOf }: Reading,
): PullFacts {
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
