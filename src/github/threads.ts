/** Reads a run's two threads. */

import type { TextVersion } from '../domain/authorship.ts';
import type { CheckFacts, CommentFacts, IssueFacts, PullFacts } from '../domain/facts.ts';
import { branded, type Instant, isSha } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { CHECKS_PLACE, checkFacts } from './checks-schema.ts';
import { query } from './graphql.ts';
import { versionsOf } from './text-versions.ts';
import { actorOf, commentsOf, instantOf, isBot, type Reading } from './thread-comments.ts';
import { type IssueAnswer, THREADS_QUERY, type ThreadsAnswer, threadsSchema } from './thread-schema.ts';

export type ThreadFacts = {
  /** Unknown if the proposal's branch is gone. */
  readonly pull: Observed<PullFacts>;
  /** Unknown if the issue was deleted or moved to another repository. */
  readonly issue: Observed<IssueFacts>;
  readonly comments: readonly CommentFacts[];
  readonly checks: Observed<readonly CheckFacts[]>;
};

/** GraphQL names bots without `[bot]`. */
export function ownBots(appSlug: string): readonly string[] {
  return [appSlug, 'github-actions'];
}

/**
 * A run's pull request and issue with comments since an instant (null = all; may include older ones), usually one request. Unknown if
 * incomplete.
 */
export async function readThreads(
  client: GitHubClient,
  pull: number,
  issue: number,
  reading: Reading,
  since: Instant | null = null,
): Promise<Observed<ThreadFacts>> {
  const variables = { owner: client.owner, repo: client.repo, pull, issue };
  const answer = await query(client, THREADS_QUERY, variables, threadsSchema, OPTIONAL);
  if (answer.kind === 'unknown') return answer;
  const { pullRequest, issue: ferryIssue } = answer.value.repository;
  const inPull = await commentsOf(client, pullRequest, since, reading);
  if (inPull.kind === 'unknown') return inPull;
  const ofPull = await versionsOf(client, pullRequest, reading);
  if (ofPull.kind === 'unknown') return ofPull;
  const found = {
    pull: known(pullOf(pullRequest, ofPull.value, reading)),
    checks: checkFacts(pullRequest.commits, pullRequest.headRefOid, reading),
  };
  // A moved issue must not hide commands in the pull request.
  if (ferryIssue === null)
    return known({ ...found, issue: unknown(`there is no issue #${issue}`), comments: inPull.value });
  const inIssue = await commentsOf(client, ferryIssue, since, reading);
  if (inIssue.kind === 'unknown') return inIssue;
  const ofIssue = await versionsOf(client, ferryIssue, reading);
  if (ofIssue.kind === 'unknown') return ofIssue;
  return known({
    ...found,
    issue: known(issueOf(ferryIssue, ofIssue.value)),
    comments: [...inPull.value, ...inIssue.value],
  });
}

const OPTIONAL = [
  { path: CHECKS_PLACE, only: null },
  { path: ['repository', 'issue'], only: 'NOT_FOUND' },
] as const;

/** Throws if GitHub sent no valid time. */
export function issueOf(issue: IssueAnswer, versions: readonly TextVersion[]): IssueFacts {
  return {
    number: issue.number,
    state: issue.state === 'OPEN' ? 'open' : 'closed',
    title: issue.title,
    body: issue.body,
    labels: issue.labels.nodes.map((label) => label.name),
    updatedAt: instantOf(issue.updatedAt),
    writtenAt: instantOf(issue.lastEditedAt ?? issue.createdAt),
    versions,
  };
}

function pullOf(
  pull: ThreadsAnswer['repository']['pullRequest'],
  versions: readonly TextVersion[],
  { digestOf }: Reading,
): PullFacts {
  return {
    number: pull.number,
    nodeId: pull.id,
    state: pull.state === 'OPEN' ? 'open' : 'closed',
    merged: pull.merged,
    isDraft: pull.isDraft,
    title: pull.title,
    body: pull.body,
    bodyDigest: digestOf(pull.body),
    author: actorOf(pull.author),
    authorIsBot: isBot(pull.author),
    versions,
    headSha: branded(pull.headRefOid, isSha),
    headBranch: pull.headRefName,
    headRepository: pull.headRepository?.nameWithOwner ?? null,
    baseBranch: pull.baseRefName,
    labels: pull.labels.nodes.map((label) => label.name),
  };
}
