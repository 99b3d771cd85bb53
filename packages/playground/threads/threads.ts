/** Changes of threads by people and bots: open, comment, edit, label, lock. Each change is emitted on the bus. */

import { actingAppId } from '../identity/identity.ts';
import { isAllowed } from '../identity/permissions.ts';
import type { Caller, User } from '../identity/state-people.ts';
import { github } from '../limits/limits.ts';
import { shapeFullPull } from '../pulls/shape-pull.ts';
import { emitChange } from '../world/emit.ts';
import type { Json } from '../world/json.ts';
import { asPull } from '../world/lookup.ts';
import { issueKey, type Repo } from '../world/state.ts';
import { nextId, type World } from '../world/world.ts';
import { shapeComment, shapeWebhookIssue } from './shape-issue.ts';
import type { Authored, Comment, Edit, Issue } from './state-threads.ts';
import { recordThreadEvent } from './thread-events.ts';

/** A caller acting in a repository; every `ActorCall` is one. */
export type Act = { readonly world: World; readonly repo: Repo; readonly caller: Caller; readonly actor: User };

/** The current row of the repository: the row in an `Act` was read at the start of the request. */
export function rereadRepo(act: Act): Repo {
  return act.world.state.repos[act.repo.id] ?? act.repo;
}

/** The common fields of a new text by this actor. */
export function createAuthored(act: Act, table: string, body: string): Authored {
  const now = act.world.clock.now();
  return {
    id: nextId(act.world, table),
    authorId: act.actor.id,
    viaAppId: actingAppId(act.caller),
    body,
    createdAtMs: now,
    updatedAtMs: now,
    edits: [],
    reactions: [],
  };
}

/** The next number of the repository, shared by issues and pull requests. */
export function takeNumber(act: Act): number {
  const repo = rereadRepo(act);
  const number = repo.lastNumber + 1;
  act.world.state.repos[repo.id] = { ...repo, lastNumber: number };
  return number;
}

export function putIssue(world: World, issue: Issue): Issue {
  world.state.issues[issueKey(issue.repoId, issue.number)] = issue;
  return issue;
}

/** A text with a new body. Its history keeps the original and every later version. */
export function withBody<Row extends Authored>(act: Act, row: Row, body: string): Row {
  if (body === row.body) return row;
  const now = act.world.clock.now();
  const first: Edit = { id: nextId(act.world, 'edits'), editorId: row.authorId, atMs: row.createdAtMs, body: row.body };
  const edit: Edit = { id: nextId(act.world, 'edits'), editorId: act.actor.id, atMs: now, body };
  return { ...row, body, updatedAtMs: now, edits: [...(row.edits.length === 0 ? [first] : row.edits), edit] };
}

/** The initial fields of every thread. */
export const reloadThread = {
  state: 'open',
  stateReason: null,
  locked: false,
  lockReason: null,
  labels: [],
  assigneeIds: [],
  commentIds: [],
  closedAtMs: null,
  closedById: null,
} as const;

/**
 * GitHub counts code points: an emoji is one character, regardless of its length in UTF-16 (dead-claudia/github-limits,
 * pull 13).
 */
export function isTooLong(body: string | null | undefined): boolean {
  const text = body ?? '';
  return text.length > github.bodyCharacters && [...text].length > github.bodyCharacters;
}

/**
 * In a locked thread only people with write access can comment, react, change and delete, including their own texts
 * (docs.github.com: locking conversations; GraphQL's `CommentCannotUpdateReason.LOCKED`). Apps and workflows cannot,
 * with any permission: GitHub answers them 403, but lets them unlock the thread (actions/stale 51, renovatebot/renovate
 * 6215).
 */
export function canComment(act: Act, issue: Issue): boolean {
  if (!issue.locked) return true;
  if (act.caller.kind === 'workflow' || act.caller.kind === 'installation') return false;
  return isAllowed(
    act.world,
    act.caller,
    act.repo,
    issue.pull === null ? 'issues:write' : 'pull_requests:write',
    'write',
  );
}

/** Emits an event for an issue or, with the same action, for a pull request. */
export async function emitIssue(
  act: Act,
  issue: Issue,
  action: string,
  extra: Readonly<Record<string, Json>> = {},
): Promise<void> {
  recordThreadEvent(act, issue, action, extra);
  const pull = asPull(issue);
  const common = { action, repo: act.repo, sender: act.actor, byTokenKind: act.caller.kind };
  if (pull === null) {
    const payload = { issue: shapeWebhookIssue(act.world, issue), ...extra };
    await emitChange(act.world, { ...common, type: 'issues', payload });
    return;
  }
  const payload = { number: issue.number, pull_request: await shapeFullPull(act.world, pull), ...extra };
  await emitChange(act.world, { ...common, type: 'pull_request', payload });
}

export async function addComment(act: Act, issue: Issue, body: string): Promise<Comment> {
  const comment: Comment = {
    ...createAuthored(act, 'comments', body),
    repoId: act.repo.id,
    issueNumber: issue.number,
    minimizedReason: null,
  };
  act.world.state.comments[comment.id] = comment;
  const now = comment.createdAtMs;
  const touched = putIssue(act.world, { ...issue, commentIds: [...issue.commentIds, comment.id], updatedAtMs: now });
  await emitComment(act, touched, comment, 'created');
  return comment;
}

export async function editComment(act: Act, issue: Issue, comment: Comment, body: string): Promise<Comment> {
  const edited = withBody(act, comment, body);
  if (edited === comment) return comment;
  act.world.state.comments[comment.id] = edited;
  await emitComment(act, issue, edited, 'edited', { changes: { body: { from: comment.body } } });
  return edited;
}

export async function deleteComment(act: Act, issue: Issue, comment: Comment): Promise<void> {
  delete act.world.state.comments[comment.id];
  const commentIds = issue.commentIds.filter((id) => id !== comment.id);
  const touched = putIssue(act.world, { ...issue, commentIds });
  await emitComment(act, touched, comment, 'deleted');
}

/** Authors may edit their own text; people with write access may edit every text. */
export function canEdit(act: Act, row: Authored): boolean {
  if (row.authorId === act.actor.id) return true;
  return isAllowed(act.world, act.caller, act.repo, 'issues:write', 'write');
}

async function emitComment(
  act: Act,
  issue: Issue,
  comment: Comment,
  action: string,
  extra: Readonly<Record<string, Json>> = {},
): Promise<void> {
  await emitChange(act.world, {
    type: 'issue_comment',
    action,
    repo: act.repo,
    sender: act.actor,
    byTokenKind: act.caller.kind,
    payload: { issue: shapeWebhookIssue(act.world, issue), comment: shapeComment(act.world, comment), ...extra },
  });
}
