/** Pull requests, reviews and review comments as the REST API writes them. */

import { canMerge } from '../git/git-merge.ts';
import { countLines } from '../git/shape-commit.ts';
import { repoApi, repoPage, shapeRepo } from '../git/shape-repo.ts';
import { shapeUserById } from '../identity/shape-people.ts';
import { github, playground } from '../limits/limits.ts';
import { checkStates } from '../rules/check-stands.ts';
import { behindWords, mergeRefusal } from '../rules/merge-rules.ts';
import { authorAssociation, shapeIssueLabels, shapeReactionSummary, threadPage } from '../threads/shape-issue.ts';
import { shapeIssueMilestone } from '../threads/shape-milestone.ts';
import type { Review, ReviewComment } from '../threads/state-threads.ts';
import type { JsonObject } from '../world/json.ts';
import { type PullIssue, repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { issueKey, type Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { readPullFiles } from './pull-content.ts';

/** docs.github.com/rest/pulls: an entry of the list. */
export function shapePull(world: World, issue: PullIssue): JsonObject {
  const repo = repoById(world, issue.repoId);
  const api = `${repoApi(world, repo)}/pulls/${issue.number}`;
  const page = threadPage(world, repo, issue);
  const { pull } = issue;
  const assignees = issue.assigneeIds.map((id) => shapeUserById(world, id));
  return {
    url: api,
    id: pull.id,
    node_id: nodeId('PR', issueKey(repo.id, issue.number)),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: `${repoApi(world, repo)}/issues/${issue.number}`,
    commits_url: `${api}/commits`,
    review_comments_url: `${api}/comments`,
    review_comment_url: `${repoApi(world, repo)}/pulls/comments{/number}`,
    comments_url: `${repoApi(world, repo)}/issues/${issue.number}/comments`,
    statuses_url: `${repoApi(world, repo)}/statuses/${pull.headSha}`,
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    active_lock_reason: issue.lockReason,
    title: issue.title,
    user: shapeUserById(world, issue.authorId),
    body: issue.body,
    // Only in this object, a label without a description has an empty one.
    labels: shapeIssueLabels(world, repo, issue).map((label) => ({
      ...label,
      description: label['description'] ?? '',
    })),
    milestone: shapeIssueMilestone(world, issue),
    created_at: toIso(issue.createdAtMs),
    updated_at: toIso(issue.updatedAtMs),
    closed_at: toIsoOrNull(issue.closedAtMs),
    merged_at: toIsoOrNull(pull.mergedAtMs),
    merge_commit_sha: pull.mergeCommitSha ?? pull.testMergeSha ?? null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.requestedReviewerIds.map((id) => shapeUserById(world, id)),
    requested_teams: [],
    head: shapeSide(world, repoById(world, pull.headRepoId), pull.headRef, pull.headSha),
    base: shapeSide(world, repo, pull.baseRef, pull.baseSha),
    author_association: authorAssociation(repo, issue.authorId),
    auto_merge: null,
    draft: pull.draft,
    _links: pullLinksOf(world, repo, issue),
  };
}

function pullLinksOf(world: World, repo: Repo, { number, pull }: PullIssue): JsonObject {
  const base = repoApi(world, repo);
  const api = `${base}/pulls/${number}`;
  return {
    self: { href: api },
    html: { href: `${repoPage(world, repo)}/pull/${number}` },
    issue: { href: `${base}/issues/${number}` },
    comments: { href: `${base}/issues/${number}/comments` },
    review_comments: { href: `${api}/comments` },
    review_comment: { href: `${base}/pulls/comments{/number}` },
    commits: { href: `${api}/commits` },
    statuses: { href: `${base}/statuses/${pull.headSha}` },
  };
}

/** docs.github.com/rest/pulls: get one, with the values that only git knows. */
export async function shapeFullPull(world: World, issue: PullIssue): Promise<JsonObject> {
  const repo = repoById(world, issue.repoId);
  const store = world.gitOf(repo);
  const { pull } = issue;
  const files = await readPullFiles(world, issue);
  const commits = await store.log({ from: pull.headSha, not: pull.baseSha, limit: playground.commitsWalked });
  const open = issue.state === 'open';
  const mergeable = open ? await canMerge(store, pull.baseSha, pull.headSha) : null;
  const lines = countLines(files);
  return {
    ...shapePull(world, issue),
    merged: pull.mergedAtMs !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: await mergeableState(world, issue, mergeable),
    merged_by: shapeUserById(world, pull.mergedById),
    comments: issue.commentIds.length,
    review_comments: pull.reviewCommentIds.length,
    maintainer_can_modify: false,
    commits: Math.min(commits.length, github.commitsPerPull),
    additions: lines.additions,
    deletions: lines.deletions,
    changed_files: files.length,
  };
}

/** docs.github.com/rest/pulls/reviews: a review. */
export function shapeReview(world: World, review: Review): JsonObject {
  const repo = repoById(world, review.repoId);
  const api = `${repoApi(world, repo)}/pulls/${review.issueNumber}`;
  const page = `${world.baseUrl}/${repo.owner}/${repo.name}/pull/${review.issueNumber}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: shapeUserById(world, review.authorId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: api,
    author_association: authorAssociation(repo, review.authorId),
    _links: { html: { href: page }, pull_request: { href: api } },
    // A pending review has no such field.
    ...(review.submittedAtMs === null ? {} : { submitted_at: toIso(review.submittedAtMs) }),
    commit_id: review.commitSha,
  };
}

/** docs.github.com/rest/pulls/comments: a comment on the changed lines. */
export function shapeReviewComment(world: World, comment: ReviewComment): JsonObject {
  const repo = repoById(world, comment.repoId);
  const api = `${repoApi(world, repo)}/pulls/comments/${comment.id}`;
  const pull = `${repoApi(world, repo)}/pulls/${comment.issueNumber}`;
  const page = `${world.baseUrl}/${repo.owner}/${repo.name}/pull/${comment.issueNumber}#discussion_r${comment.id}`;
  return {
    url: api,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    commit_id: comment.commitSha,
    original_commit_id: comment.commitSha,
    user: shapeUserById(world, comment.authorId),
    body: comment.body,
    created_at: toIso(comment.createdAtMs),
    updated_at: toIso(comment.updatedAtMs),
    html_url: page,
    pull_request_url: pull,
    author_association: authorAssociation(repo, comment.authorId),
    _links: { self: { href: api }, html: { href: page }, pull_request: { href: pull } },
    reactions: shapeReactionSummary(`${api}/reactions`, comment.reactions),
    start_line: comment.startLine ?? null,
    original_start_line: comment.startLine ?? null,
    start_side: comment.startLine === undefined ? null : comment.side,
    line: comment.line,
    original_line: comment.line,
    position: diffPosition(comment),
    original_position: diffPosition(comment),
    side: comment.side,
    subject_type: comment.line === null ? 'file' : 'line',
    ...(comment.inReplyToId === null ? {} : { in_reply_to_id: comment.inReplyToId }),
  };
}

/** The line's position in the hunk, counted from its header; 1 for a comment on the whole file. */
function diffPosition({ diffHunk, line, side }: ReviewComment): number {
  const [header = '', ...lines] = diffHunk.split('\n');
  const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header);
  let at = Number(start?.[side === 'LEFT' ? 1 : 2] ?? 1) - 1;
  const absent = side === 'LEFT' ? '+' : '-';
  for (const [index, text] of lines.entries()) {
    if (!text.startsWith(absent)) at += 1;
    if (at === line && !text.startsWith(absent)) return index + 1;
  }
  return 1;
}

function shapeSide(world: World, repo: Repo, ref: string, sha: string): JsonObject {
  return {
    label: `${repo.owner}:${ref}`,
    ref,
    sha,
    user: shapeUserById(world, repo.ownerId),
    repo: shapeRepo(world, repo),
  };
}

/**
 * The state of GitHub's merge button for a person who is on no bypass list (docs.github.com/graphql: MergeStateStatus).
 */
async function mergeableState(world: World, issue: PullIssue, mergeable: boolean | null): Promise<string> {
  if (issue.state !== 'open' || mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  if (issue.pull.draft) return 'draft';
  const repo = repoById(world, issue.repoId);
  const refusal = await mergeRefusal({ world, repo, caller: { kind: 'anonymous' } }, issue, null);
  if (refusal !== null) return refusal.includes(behindWords) ? 'behind' : 'blocked';
  const states = checkStates(world, repo, issue.pull.headSha);
  return states.every(({ state }) => state === 'green') ? 'clean' : 'unstable';
}
