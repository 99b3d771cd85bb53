/** Reads a run's two threads. */

import type { TextVersion } from '../domain/actor.ts';
import type { CheckFacts, CommentFacts, IssueFacts, PullFacts } from '../domain/facts.ts';
import type { PinnedSource } from '../domain/launch/contract.ts';
import { isIssueFirst } from '../domain/own-pull.ts';
import { branded, type Instant, isSha, known, type Observed, unknown } from '../domain/values.ts';
import { type GitHubClient, query } from './call.ts';
import { CHECKS_PLACE, checkFacts } from './check-run.ts';
import { versionsOf } from './text-versions.ts';
import { actorOf, commentsOf, instantOf, isBot, type Reading } from './thread-comments.ts';
import {
  ISSUE_FIRST_CHECKS_PLACE,
  ISSUE_FIRST_QUERY,
  type IssueAnswer,
  type IssueFirstAnswer,
  issueFirstSchema,
  THREAD_QUERY,
  THREADS_QUERY,
  type ThreadsAnswer,
  threadSchema,
  threadsSchema,
} from './thread-schema.ts';

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
function issueOf(issue: IssueAnswer, versions: readonly TextVersion[]): IssueFacts {
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

export type Thread = {
  readonly isOpenIssue: boolean;
  readonly isOpenPull: boolean;
  readonly labels: readonly string[];
  readonly comments: readonly CommentFacts[];
};

/** A thread with its comments since an instant (null = all; may include older ones). Unknown if incomplete or missing. */
export async function readThread(
  client: GitHubClient,
  number: number,
  reading: Reading,
  since: Instant | null = null,
): Promise<Observed<Thread>> {
  const variables = { owner: client.owner, repo: client.repo, number };
  const answer = await query(client, THREAD_QUERY, variables, threadSchema);
  if (answer.kind === 'unknown') return answer;
  const thread = answer.value.repository.issueOrPullRequest;
  if (thread === null) return unknown('there is no such thread');
  const comments = await commentsOf(client, { ...thread, number }, since, reading);
  if (comments.kind === 'unknown') return comments;
  return known({
    isOpenIssue: thread.__typename === 'Issue' && thread.state === 'OPEN',
    isOpenPull: thread.__typename === 'PullRequest' && thread.pullState === 'OPEN',
    labels: thread.labels.nodes.map((label) => label.name),
    comments: comments.value,
  });
}

/** The branches are used only without a pull request. */
export type ProposalPlace = {
  readonly issue: number;
  readonly pull: number;
  /** Without `refs/heads/`. */
  readonly headBranch: string;
  readonly baseBranch: string;
  /** A commit that replaces the branch's tip. */
  readonly pinned?: PinnedSource | null;
};

/** The threads with comments since an instant (null = all), usually one request. Unknown as in `readThreads`. */
export function readProposal(
  client: GitHubClient,
  place: ProposalPlace,
  reading: Reading,
  since: Instant | null = null,
): Promise<Observed<ThreadFacts>> {
  return isIssueFirst(place)
    ? readIssueFirst(client, place, reading, since)
    : readThreads(client, place.pull, place.issue, reading, since);
}

/** Text and state come from the issue, the commit from the branch; a missing branch makes the proposal unknown. */
async function readIssueFirst(
  client: GitHubClient,
  place: ProposalPlace,
  reading: Reading,
  since: Instant | null,
): Promise<Observed<ThreadFacts>> {
  const answer = await readPlace(client, place);
  if (answer.kind === 'unknown') return answer;
  const { issue, checked } = answer.value.repository;
  const comments = await commentsOf(client, issue, since, reading);
  if (comments.kind === 'unknown') return comments;
  const versions = await versionsOf(client, issue, reading);
  if (versions.kind === 'unknown') return versions;
  const pull = pullOfIssue(answer.value, versions.value, place, reading);
  const commits = checked === null ? null : { nodes: [{ commit: checked }] };
  return known({
    pull,
    issue: known(issueOf(issue, versions.value)),
    checks: pull.kind === 'known' ? checkFacts(commits, pull.value.headSha, reading, 'oldest') : pull,
    comments: comments.value,
  });
}

function readPlace(client: GitHubClient, place: ProposalPlace): Promise<Observed<IssueFirstAnswer>> {
  const { owner, repo } = client;
  const head = place.pinned?.commit ?? `refs/heads/${place.headBranch}`;
  const variables = { owner, repo, issue: place.issue, head };
  const places = [{ path: ISSUE_FIRST_CHECKS_PLACE, only: null }];
  return query(client, ISSUE_FIRST_QUERY, variables, issueFirstSchema, places);
}

/** Presents the issue and its branch like a pull request; only branches of this repository are read. */
function pullOfIssue(
  { repository: { issue, nameWithOwner, target } }: IssueFirstAnswer,
  versions: readonly TextVersion[],
  { headBranch, baseBranch, pinned = null }: ProposalPlace,
  { digestOf }: Reading,
): Observed<PullFacts> {
  if (target === null)
    return unknown(
      pinned === null ? `the branch ${headBranch} is not there` : `there is no commit ${pinned.commit}`,
    );
  return known({
    number: issue.number,
    nodeId: issue.id,
    state: issue.state === 'OPEN' ? 'open' : 'closed',
    merged: false,
    isDraft: false,
    title: issue.title,
    body: issue.body,
    bodyDigest: digestOf(issue.body),
    author: actorOf(issue.author),
    authorIsBot: isBot(issue.author),
    versions,
    headSha: branded(target.oid, isSha),
    headBranch: pinned === null ? headBranch : (pinned.branch ?? baseBranch),
    headRepository: nameWithOwner,
    baseBranch,
    labels: issue.labels.nodes.map((label) => label.name),
  });
}
