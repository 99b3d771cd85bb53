/** Reads a proposal: a pull request with its issue, or an issue with a branch (docs/decisions/0125-evaluate-gates-on-current-facts.md). */

import type { TextVersion } from '../domain/authorship.ts';
import type { PullFacts } from '../domain/facts.ts';
import { branded, type Instant, isSha } from '../domain/ids.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import type { PinnedSource } from '../domain/launch/contract.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { checkFacts } from './checks-schema.ts';
import { query } from './graphql.ts';
import { versionsOf } from './text-versions.ts';
import { actorOf, commentsOf, isBot, type Reading } from './thread-comments.ts';
import {
  ISSUE_FIRST_CHECKS_PLACE,
  ISSUE_FIRST_QUERY,
  type IssueFirstAnswer,
  issueFirstSchema,
} from './thread-schema.ts';
import { issueOf, readThreads, type ThreadFacts } from './threads.ts';

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
