/** Reads a run's two threads, and the edit history of their texts. */

import { z } from 'zod';
import { type Contributor, isIssueFirst, type TextVersion } from '../domain/actor.ts';
import type { CheckFacts, CommentFacts, IssueFacts, PullFacts, ShownVersion } from '../domain/facts.ts';
import type { PinnedSource } from '../domain/launch/contract.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { brandAs, type Instant, isSha, known, type Observed, unknown } from '../domain/values.ts';
import { type GitHubClient, queryGraphql } from './call.ts';
import { readCheckFacts } from './check-run.ts';
import {
  isBot,
  parseInstant,
  readComments,
  readRemainingPages,
  type ThreadPage,
  type ThreadReading,
  toActor,
} from './thread-comments.ts';
import {
  type AuthorAnswer,
  EDITS_CONNECTION,
  ISSUE_FIRST_QUERY,
  type IssueAnswer,
  issueFirstSchema,
  THREAD_QUERY,
  THREADS_QUERY,
  type ThreadsAnswer,
  threadSchema,
  threadsSchema,
} from './thread-schema.ts';

type IssueFirstAnswer = z.infer<typeof issueFirstSchema>;

/** Position of the checks in the answer. */
const ISSUE_FIRST_CHECKS_PLACE: readonly string[] = ['repository', 'checked'];

/** Optional part of the answer: a token without access to checks can still read the threads. */
const CHECKS_PLACE: readonly string[] = ['repository', 'pullRequest', 'commits'];

export type EditedText = Pick<
  IssueAnswer,
  'id' | 'number' | 'body' | 'author' | 'includesCreatedEdit' | 'userContentEdits'
>;

/**
 * All versions of an issue or pull request text with their editors, newest first (docs.github.com/graphql, UserContentEdit). Unknown if
 * incomplete.
 */
async function readVersions(
  client: GitHubClient,
  { id, number, body, author, includesCreatedEdit, userContentEdits }: EditedText,
  { issueMarkerOf }: Pick<ThreadReading, 'issueMarkerOf'>,
): Promise<Observed<readonly TextVersion[]>> {
  const first = userContentEdits ?? { nodes: [], pageInfo: NO_PAGES };
  const edits = await readRemainingPages(client, id, EDITS_CONNECTION, { first });
  if (edits.kind === 'unknown') return edits;
  const newestFirst = edits.value.toSorted((a, b) => b.editedAt.localeCompare(a.editedAt));
  const told = newestFirst.map(({ editor, diff }) => ({ by: toContributor(editor), text: diff }));
  const all = includesCreatedEdit ? told : [...told, { by: toContributor(author), text: null }];
  // The current text is known even if the list lags behind.
  const versions = all.map((version, index) => (index === 0 ? { ...version, text: body } : version));
  return known(
    versions.map((version) => {
      const marker = version.text === null ? null : issueMarkerOf(number, version.text);
      return marker?.isIntact === true && marker.role === 'control' ? { ...version, sealedFor: marker.run } : version;
    }),
  );
}

const NO_PAGES = { hasPreviousPage: false, startCursor: null, hasNextPage: false, endCursor: null };

/** GraphQL names an app without `[bot]`. A deleted account has no id. */
function toContributor(author: AuthorAnswer): Contributor {
  if (author?.__typename === 'Bot') return { kind: 'app', login: author.login.replace(/\[bot\]$/, '') };
  const actor = toActor(author);
  return isBot(author) || actor.id === 0 ? { kind: 'unnamed' } : { kind: 'person', actor };
}

/** `editedAt` null: never edited. */
export type CurrentText = {
  readonly nodeId: string;
  readonly thread: number;
  readonly body: string;
  readonly createdAt: Instant;
  readonly editedAt: Instant | null;
};

const ISSUE_TEXT_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { id body createdAt lastEditedAt } }
}`;
const written = { id: z.string(), body: z.string(), createdAt: z.string(), lastEditedAt: z.string().nullable() };
const issueTextSchema = z.object({ repository: z.object({ issue: z.object(written).nullable() }) });
const ISSUE_TEXT = { text: ISSUE_TEXT_QUERY, schema: issueTextSchema };

/** An issue's description with its last edit, which REST does not report. Unknown if the issue does not exist or cannot be read. */
export async function readIssueText(client: GitHubClient, number: number): Promise<Observed<CurrentText>> {
  const { owner, repo } = client;
  const answer = await queryGraphql(client, ISSUE_TEXT, { owner, repo, number });
  if (answer.kind === 'unknown') return answer;
  const { issue } = answer.value.repository;
  if (issue === null) return unknown('there is no such issue');
  const { id: nodeId, body, createdAt, lastEditedAt } = issue;
  const editedAt = lastEditedAt === null ? null : parseInstant(lastEditedAt);
  return known({ nodeId, thread: number, body, createdAt: parseInstant(createdAt), editedAt });
}

/**
 * The versions since an instant and the one before, newest first. `diff` is the whole text (decision 0119). Costs no request for a
 * text without edits. Unknown if GitHub's list is incomplete or outdated.
 */
export async function readTextHistory(
  client: GitHubClient,
  text: CurrentText,
  since: Instant,
  markerOf: ReadMarker,
): Promise<Observed<readonly ShownVersion[]>> {
  const { nodeId, thread, body, createdAt, editedAt } = text;
  if (editedAt === null)
    return known([{ editedAt: createdAt, isDeleted: false, by: null, body, marker: markerOf(thread, body) }]);
  const all = await readRemainingPages(client, nodeId, EDITS_CONNECTION, {
    isOld: (edit) => parseInstant(edit.editedAt) < since,
  });
  if (all.kind === 'unknown') return all;
  const newestFirst = all.value.toSorted((a, b) => b.editedAt.localeCompare(a.editedAt));
  const [newest] = newestFirst;
  if (newest === undefined || parseInstant(newest.editedAt) < editedAt)
    return unknown('the edit history is not told as a whole');
  return known(
    newestFirst.map(({ editedAt: at, deletedAt, diff, editor }) => ({
      editedAt: parseInstant(at),
      isDeleted: deletedAt !== null || diff === null,
      by: editor?.login ?? null,
      body: diff ?? '',
      marker: diff === null ? null : markerOf(thread, diff),
    })),
  );
}

export type ThreadFacts = {
  /** Unknown if the proposal's branch was deleted. */
  readonly pull: Observed<PullFacts>;
  /** Unknown if the issue was deleted or moved to another repository. */
  readonly issue: Observed<IssueFacts>;
  readonly comments: readonly CommentFacts[];
  /** Few decisions need them. */
  readonly checks: () => Observed<readonly CheckFacts[]>;
};

/** GraphQL names bots without `[bot]`. */
export function ownBotLogins(appSlug: string): readonly string[] {
  return [appSlug, 'github-actions'];
}

/**
 * A run's pull request and issue with comments since an instant (null = all; may include older ones), usually one request. Unknown if
 * incomplete.
 */
export async function readThreads(
  client: GitHubClient,
  { pull, issue }: Pick<ProposalPlace, 'pull' | 'issue'>,
  reading: ThreadReading,
  since: Instant | null = null,
): Promise<Observed<ThreadFacts>> {
  const variables = { owner: client.owner, repo: client.repo, pull, issue };
  const answer = await queryGraphql(client, THREADS, variables);
  if (answer.kind === 'unknown') return answer;
  const { pullRequest, issue: ferryIssue } = answer.value.repository;
  const inPull = await readContent(client, pullRequest, since, reading);
  if (inPull.kind === 'unknown') return inPull;
  const found = {
    pull: known(toPullFacts(pullRequest, inPull.value.versions, reading)),
    checks: () => readCheckFacts(pullRequest.commits, pullRequest.headRefOid, reading),
  };
  // A moved issue must not hide commands in the pull request.
  if (ferryIssue === null)
    return known({ ...found, issue: unknown(`there is no issue #${issue}`), comments: inPull.value.comments });
  const inIssue = await readContent(client, ferryIssue, since, reading);
  if (inIssue.kind === 'unknown') return inIssue;
  return known({
    ...found,
    issue: known(toIssueFacts(ferryIssue, inIssue.value.versions)),
    comments: [...inPull.value.comments, ...inIssue.value.comments],
  });
}

async function readContent(
  client: GitHubClient,
  thread: ThreadPage & EditedText,
  since: Instant | null,
  reading: ThreadReading,
): Promise<Observed<{ readonly comments: readonly CommentFacts[]; readonly versions: readonly TextVersion[] }>> {
  const comments = await readComments(client, thread, since, reading);
  if (comments.kind === 'unknown') return comments;
  const versions = await readVersions(client, thread, reading);
  return versions.kind === 'unknown' ? versions : known({ comments: comments.value, versions: versions.value });
}

const THREADS = {
  text: THREADS_QUERY,
  schema: threadsSchema,
  optional: [
    { path: CHECKS_PLACE, only: null },
    { path: ['repository', 'issue'], only: 'NOT_FOUND' },
  ],
} as const;

/** Throws if GitHub sent no valid time. */
function toIssueFacts(issue: IssueAnswer, versions: readonly TextVersion[]): IssueFacts {
  return {
    number: issue.number,
    state: issue.state === 'OPEN' ? 'open' : 'closed',
    title: issue.title,
    body: issue.body,
    labels: issue.labels.nodes.map((label) => label.name),
    updatedAt: parseInstant(issue.updatedAt),
    writtenAt: parseInstant(issue.lastEditedAt ?? issue.createdAt),
    versions,
  };
}

function toPullFacts(
  pull: ThreadsAnswer['repository']['pullRequest'],
  versions: readonly TextVersion[],
  { digestOf }: ThreadReading,
): PullFacts {
  return {
    ...toTextFacts(pull, versions, digestOf),
    merged: pull.merged,
    isDraft: pull.isDraft,
    headSha: brandAs(pull.headRefOid, isSha),
    headBranch: pull.headRefName,
    headRepository: pull.headRepository?.nameWithOwner ?? null,
    baseBranch: pull.baseRefName,
  };
}

/** The facts that issues and pull requests share. */
function toTextFacts(
  text: Pick<IssueAnswer, 'id' | 'number' | 'title' | 'body' | 'author' | 'labels'> & { readonly state: string },
  versions: readonly TextVersion[],
  digestOf: ThreadReading['digestOf'],
) {
  return {
    number: text.number,
    nodeId: text.id,
    state: text.state === 'OPEN' ? 'open' : 'closed',
    title: text.title,
    body: text.body,
    bodyDigest: digestOf(text.body),
    author: toActor(text.author),
    authorIsBot: isBot(text.author),
    versions,
    labels: text.labels.nodes.map((label) => label.name),
  } as const;
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
  reading: ThreadReading,
  since: Instant | null = null,
): Promise<Observed<Thread>> {
  const variables = { owner: client.owner, repo: client.repo, number };
  const answer = await queryGraphql(client, { text: THREAD_QUERY, schema: threadSchema }, variables);
  if (answer.kind === 'unknown') return answer;
  const thread = answer.value.repository.issueOrPullRequest;
  if (thread === null) return unknown('there is no such thread');
  const comments = await readComments(client, { ...thread, number }, since, reading);
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
  reading: ThreadReading,
  since: Instant | null = null,
): Promise<Observed<ThreadFacts>> {
  return isIssueFirst(place)
    ? readIssueFirst(client, place, reading, since)
    : readThreads(client, place, reading, since);
}

/** Text and state come from the issue, the commit from the branch; a missing branch makes the proposal unknown. */
async function readIssueFirst(
  client: GitHubClient,
  place: ProposalPlace,
  reading: ThreadReading,
  since: Instant | null,
): Promise<Observed<ThreadFacts>> {
  const { owner, repo } = client;
  const head = place.pinned?.commit ?? `refs/heads/${place.headBranch}`;
  const variables = { owner, repo, issue: place.issue, head };
  const optional = [{ path: ISSUE_FIRST_CHECKS_PLACE, only: null }];
  const issueFirst = { text: ISSUE_FIRST_QUERY, schema: issueFirstSchema, optional };
  const answer = await queryGraphql(client, issueFirst, variables);
  if (answer.kind === 'unknown') return answer;
  const { issue, checked } = answer.value.repository;
  const content = await readContent(client, issue, since, reading);
  if (content.kind === 'unknown') return content;
  const { comments, versions } = content.value;
  const pull = toPullFactsOfIssue(answer.value, versions, place, reading);
  const commits = checked === null ? null : { nodes: [{ commit: checked }] };
  return known({
    pull,
    issue: known(toIssueFacts(issue, versions)),
    checks: () => (pull.kind === 'known' ? readCheckFacts(commits, pull.value.headSha, reading, 'oldest') : pull),
    comments,
  });
}

/** Presents the issue and its branch like a pull request; only branches of this repository are read. */
function toPullFactsOfIssue(
  { repository: { issue, nameWithOwner, target } }: IssueFirstAnswer,
  versions: readonly TextVersion[],
  { headBranch, baseBranch, pinned = null }: ProposalPlace,
  { digestOf }: ThreadReading,
): Observed<PullFacts> {
  if (target === null)
    return unknown(pinned === null ? `the branch ${headBranch} is not there` : `there is no commit ${pinned.commit}`);
  return known({
    ...toTextFacts(issue, versions, digestOf),
    merged: false,
    isDraft: false,
    headSha: brandAs(target.oid, isSha),
    headBranch: pinned === null ? headBranch : (pinned.branch ?? baseBranch),
    headRepository: nameWithOwner,
    baseBranch,
  });
}
