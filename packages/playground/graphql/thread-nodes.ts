/** GraphQL nodes of issues, pull requests, comments and reviews. */

import { canMerge } from '../git/git-merge.ts';
import { countLines } from '../git/shape-commit.ts';
import { repoPage } from '../git/shape-repo.ts';
import { readPullCommits, readPullFiles } from '../pulls/pull-content.ts';
import { visibleTo } from '../pulls/review-changes.ts';
import { reviewDecision } from '../rules/merge-rules.ts';
import { issueNodeId, threadPage } from '../threads/shape-issue.ts';
import { findMilestoneOfIssue } from '../threads/shape-milestone.ts';
import type { Comment, Issue, Review, ReviewComment } from '../threads/state-threads.ts';
import {
  asPull,
  findIssue,
  findLabel,
  listComments,
  listReviewComments,
  listReviewsOf,
  type PullIssue,
  repoById,
  requireRow,
} from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { actorNode, authoredFields } from './authored-nodes.ts';
import { checkFields } from './check-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, createAct } from './context.ts';
import { commitNode, refNode } from './git-nodes.ts';
import { mergeState } from './merge-state.ts';
import { milestoneNode } from './works-nodes.ts';

/** An issue, or a pull request if the number is one. */
export function threadNode(context: Context, repo: Repo, issue: Issue): object {
  const pull = asPull(issue);
  const common = threadFields(context, repo, issue);
  if (pull !== null) return { ...common, ...pullFields(context, repo, pull) };
  return { ...common, __typename: 'Issue', ...issueFields(issue) };
}

function issueFields(issue: Issue): object {
  return {
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    isPinned: issue.pinnedById !== undefined,
  };
}

export function commentNode(context: Context, comment: Comment): object {
  const { world } = context;
  const repo = repoById(world, comment.repoId);
  const issue = requireRow(findIssue(world, repo, comment.issueNumber), `issue ${comment.issueNumber}`);
  return {
    __typename: 'IssueComment',
    id: nodeId('IC', comment.id),
    ...authoredFields(context, repo, comment),
    isMinimized: comment.minimizedReason !== null,
    minimizedReason: comment.minimizedReason,
    viewerCanMinimize: true,
    url: `${threadPage(world, repo, issue)}#issuecomment-${comment.id}`,
    issue: () => ({ ...threadFields(context, repo, issue), __typename: 'Issue', ...issueFields(issue) }),
    pullRequest: () => (issue.pull === null ? null : threadNode(context, repo, issue)),
  };
}

export function reviewNode(context: Context, repo: Repo, issue: PullIssue, review: Review): object {
  return {
    __typename: 'PullRequestReview',
    id: nodeId('PRR', review.id),
    ...authoredFields(context, repo, review),
    state: review.state,
    submittedAt: toIsoOrNull(review.submittedAtMs),
    url: `${threadPage(context.world, repo, issue)}#pullrequestreview-${review.id}`,
    commit: () => commitNode(context.world, repo, review.commitSha),
    comments: (args: PageArgs) => {
      const rows = listReviewComments(context.world, issue).filter((one) => one.reviewId === review.id);
      return buildConnection(rows, args, (row) => reviewCommentNode(context, repo, issue, row));
    },
  };
}

export function reviewCommentNode(context: Context, repo: Repo, issue: Issue, row: ReviewComment): object {
  return {
    __typename: 'PullRequestReviewComment',
    id: nodeId('PRRC', row.id),
    ...authoredFields(context, repo, row),
    path: row.path,
    line: row.line,
    diffHunk: row.diffHunk,
    isMinimized: (row.minimizedReason ?? null) !== null,
    minimizedReason: row.minimizedReason ?? null,
    viewerCanMinimize: true,
    url: `${threadPage(context.world, repo, issue)}#discussion_r${row.id}`,
    commit: () => commitNode(context.world, repo, row.commitSha),
  };
}

function threadFields(context: Context, repo: Repo, issue: Issue): object {
  const { world } = context;
  return {
    id: issueNodeId(issue),
    ...authoredFields(context, repo, issue),
    number: issue.number,
    title: issue.title,
    closed: issue.state === 'closed',
    closedAt: toIsoOrNull(issue.closedAtMs),
    locked: issue.locked,
    url: threadPage(world, repo, issue),
    repository: () => context.repositoryNode(repo),
    labels: (args: PageArgs) => buildConnection(issue.labels, args, (name) => labelNode(world, repo, name)),
    comments: (args: PageArgs) => buildConnection(listComments(world, issue), args, (row) => commentNode(context, row)),
    timelineItems: (args: PageArgs & { readonly itemTypes?: readonly string[] | null }) =>
      buildConnection(
        (issue.labelEvents ?? []).filter(
          ({ event }) => args.itemTypes?.includes(`${event.toUpperCase()}_EVENT`) ?? true,
        ),
        args,
        (one) => ({
          __typename: one.event === 'labeled' ? 'LabeledEvent' : 'UnlabeledEvent',
          id: nodeId(one.event === 'labeled' ? 'LE' : 'UNLE', one.id),
          createdAt: toIso(one.atMs),
          actor: actorNode(world, one.actorId),
          // A label that was renamed or deleted since then keeps its old name here.
          label: labelNode(world, repo, one.label.name) ?? {
            id: nodeId('LA', 0),
            ...one.label,
            description: null,
            url: repoPage(world, repo),
            isDefault: false,
          },
        }),
      ),
    activeLockReason: issue.lockReason?.toUpperCase().replace(/[- ]/, '_') ?? null,
    milestone: () => {
      const row = findMilestoneOfIssue(world, issue);
      return row === null ? null : milestoneNode(context, repo, row);
    },
    // The playground has no projects.
    projectCards: (args: PageArgs) => buildConnection([], args, () => null),
    projectItems: (args: PageArgs) => buildConnection([], args, () => null),
    assignees: (args: PageArgs) => buildConnection(issue.assigneeIds, args, (id) => actorNode(world, id)),
  };
}

export function labelNode(world: World, repo: Repo, name: string): object | null {
  const label = findLabel(world.state.repos[repo.id] ?? repo, name);
  if (label === null) return null;
  return {
    id: nodeId('LA', label.id),
    name: label.name,
    color: label.color,
    description: label.description,
    url: `${repoPage(world, repo)}/labels/${encodeURIComponent(label.name)}`,
    isDefault: false,
    createdAt: null,
    updatedAt: null,
  };
}

const changeTypes = { added: 'ADDED', removed: 'DELETED', modified: 'MODIFIED', renamed: 'RENAMED' } as const;

function pullFields(context: Context, repo: Repo, issue: PullIssue): object {
  const { world } = context;
  const { pull } = issue;
  const files = () => readPullFiles(world, issue);
  return {
    __typename: 'PullRequest',
    databaseId: pull.id,
    state: pull.mergedAtMs !== null ? 'MERGED' : issue.state.toUpperCase(),
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    headRef: () => refNode(world, repo, `refs/heads/${pull.headRef}`),
    headRepository: () => context.repositoryNode(repoById(world, pull.headRepoId)),
    baseRepository: () => context.repositoryNode(repo),
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    baseRef: () => refNode(world, repo, `refs/heads/${pull.baseRef}`),
    isCrossRepository: pull.headRepoId !== repo.id,
    isDraft: pull.draft,
    maintainerCanModify: false,
    headRepositoryOwner: actorNode(world, repoById(world, pull.headRepoId).ownerId),
    reviewRequests: (args: PageArgs) =>
      buildConnection(pull.requestedReviewerIds, args, (id) => ({
        id: nodeId('PRR', `${issue.number}:${id}`),
        requestedReviewer: actorNode(world, id),
      })),
    reviewDecision: () => reviewDecision(createAct(context, repo), issue),
    mergeStateStatus: () => mergeState(context, repo, issue),
    merged: pull.mergedAtMs !== null,
    mergedAt: pull.mergedAtMs === null ? null : toIso(pull.mergedAtMs),
    mergedBy: actorNode(world, pull.mergedById),
    mergeCommit: () => (pull.mergeCommitSha === null ? null : commitNode(world, repo, pull.mergeCommitSha)),
    mergeable: () => mergeable(context, repo, issue),
    changedFiles: async () => (await files()).length,
    additions: async () => countLines(await files()).additions,
    deletions: async () => countLines(await files()).deletions,
    files: async (args: PageArgs) =>
      buildConnection(await files(), args, (file) => ({
        path: file.path,
        additions: file.additions,
        deletions: file.deletions,
        changeType: changeTypes[file.status],
      })),
    commits: async (args: PageArgs) =>
      buildConnection(await readPullCommits(world, issue), args, (commit) => ({
        id: nodeId('C', `${repo.id}:${issue.number}:${commit.sha}`),
        commit: async () => ({
          ...(await commitNode(world, repo, commit.sha)),
          ...checkFields(context, repo, commit.sha),
        }),
      })),
    latestReviews: (args: PageArgs) => {
      const rows = visibleTo(context.actor.id, listReviewsOf(world, issue)).filter(({ state }) => state !== 'PENDING');
      const newest = new Map(rows.map((row) => [row.authorId, row]));
      return buildConnection([...newest.values()], args, (row) => reviewNode(context, repo, issue, row));
    },
    reviews: (args: PageArgs & { readonly states?: readonly string[] | null }) => {
      const rows = visibleTo(context.actor.id, listReviewsOf(world, issue)).filter(
        (one) => args.states?.includes(one.state) ?? true,
      );
      return buildConnection(rows, args, (row) => reviewNode(context, repo, issue, row));
    },
  };
}

async function mergeable(context: Context, repo: Repo, issue: PullIssue): Promise<string> {
  if (issue.state === 'closed') return 'UNKNOWN';
  const verdict = await canMerge(context.world.gitOf(repo), issue.pull.baseSha, issue.pull.headSha);
  if (verdict === null) return 'UNKNOWN';
  return verdict ? 'MERGEABLE' : 'CONFLICTING';
}
