/** Issues, comments and reactions as the REST API writes them. */

import { repoApi, repoPage, shapeLabel } from '../git/shape-repo.ts';
import { userRole } from '../identity/permissions.ts';
import { shapeAppById, shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { findLabel, repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { issueKey, type Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { shapeIssueMilestone } from './shape-milestone.ts';
import type { Comment, Issue, Reaction } from './state-threads.ts';

/** The author's relation to the repository. Private membership is hidden, so never use this to authorize. */
export function authorAssociation(repo: Repo, authorId: number): string {
  if (authorId === repo.ownerId) return 'OWNER';
  const role = userRole(repo, authorId);
  return role === null ? 'NONE' : 'COLLABORATOR';
}

/** `http://…/owner/name/issues/7`, or `/pull/7`. */
export function threadPage(world: World, repo: Repo, issue: Issue): string {
  return `${repoPage(world, repo)}/${issue.pull === null ? 'issues' : 'pull'}/${issue.number}`;
}

export function issueNodeId(issue: Issue): string {
  return nodeId(issue.pull === null ? 'I' : 'PR', issueKey(issue.repoId, issue.number));
}

/** docs.github.com/rest/issues: an issue. A pull request is an issue with `pull_request`. */
export function shapeIssue(world: World, issue: Issue): JsonObject {
  const repo = repoById(world, issue.repoId);
  const api = `${repoApi(world, repo)}/issues/${issue.number}`;
  const assignees = issue.assigneeIds.map((id) => shapeUserById(world, id));
  return {
    url: api,
    repository_url: repoApi(world, repo),
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: threadPage(world, repo, issue),
    id: issue.id,
    node_id: issueNodeId(issue),
    number: issue.number,
    title: issue.title,
    user: shapeUserById(world, issue.authorId),
    labels: shapeIssueLabels(world, repo, issue),
    state: issue.state,
    locked: issue.locked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: shapeIssueMilestone(world, issue),
    comments: issue.commentIds.length,
    created_at: toIso(issue.createdAtMs),
    updated_at: toIso(issue.updatedAtMs),
    closed_at: toIsoOrNull(issue.closedAtMs),
    closed_by: shapeUserById(world, issue.closedById),
    author_association: authorAssociation(repo, issue.authorId),
    active_lock_reason: issue.lockReason,
    body: issue.body,
    reactions: shapeReactionSummary(`${api}/reactions`, issue.reactions),
    timeline_url: `${api}/timeline`,
    performed_via_github_app: shapeAppById(world, issue.viaAppId),
    state_reason: issue.stateReason,
    ...pullLinks(world, repo, issue),
  };
}

/** The issue in a webhook, which omits `closed_by`: the sender of `closed` closed it. */
export function shapeWebhookIssue(world: World, issue: Issue): JsonObject {
  const { closed_by: _closedBy, ...rest } = shapeIssue(world, issue);
  return rest;
}

/** docs.github.com/rest/issues/comments: a comment on an issue or pull request. */
export function shapeComment(world: World, comment: Comment): JsonObject {
  const repo = repoById(world, comment.repoId);
  const issue = world.state.issues[issueKey(repo.id, comment.issueNumber)];
  if (issue === undefined) throw new Error(`comment ${comment.id} has no issue`);
  const api = `${repoApi(world, repo)}/issues/comments/${comment.id}`;
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url: api,
    html_url: `${threadPage(world, repo, issue)}#issuecomment-${comment.id}`,
    body: comment.body,
    user: shapeUserById(world, comment.authorId),
    created_at: toIso(comment.createdAtMs),
    updated_at: toIso(comment.updatedAtMs),
    issue_url: `${repoApi(world, repo)}/issues/${comment.issueNumber}`,
    author_association: authorAssociation(repo, comment.authorId),
    performed_via_github_app: shapeAppById(world, comment.viaAppId),
    reactions: shapeReactionSummary(`${api}/reactions`, comment.reactions),
  };
}

export function shapeReaction(world: World, reaction: Reaction): JsonObject {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: shapeUserById(world, reaction.userId),
    content: reaction.content,
    created_at: toIso(reaction.createdAtMs),
  };
}

export function shapeReactionSummary(url: string, reactions: readonly Reaction[]): JsonObject {
  const count = (content: Reaction['content']): number => reactions.filter((one) => one.content === content).length;
  return {
    url,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}

export function shapeIssueLabels(world: World, repo: Repo, issue: Issue): readonly JsonObject[] {
  return issue.labels.flatMap((name) => {
    const label = findLabel(repo, name);
    return label === null ? [] : [shapeLabel(world, repo, label)];
  });
}

function pullLinks(world: World, repo: Repo, issue: Issue): JsonObject {
  if (issue.pull === null) return {};
  const page = threadPage(world, repo, issue);
  return {
    draft: issue.pull.draft,
    pull_request: {
      url: `${repoApi(world, repo)}/pulls/${issue.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: toIsoOrNull(issue.pull.mergedAtMs),
    },
  };
}
