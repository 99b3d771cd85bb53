/** Posts comments, also in locked threads, edits them, and adds reactions. After a lost answer, searches the thread before posting again. */

import { z } from 'zod';
import type { Surface } from '../domain/actor.ts';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import { fromRfc3339 } from '../domain/values.ts';
import {
  type CallOutcome,
  call,
  type GitHubClient,
  noteWrite,
  queryGraphql,
  readPages,
  readRoute,
  toRefusalOutcome,
} from './call.ts';

const numbered = z.object({
  id: z.number().int(),
  body: z.string().optional(),
  updated_at: z.iso.datetime().optional(),
});
const listed = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  user: z.object({ type: z.string() }).nullish(),
});

/** Whether a body is that of the posted comment. A matching prefix is not enough. */
export type IsSame = (body: string) => boolean;

/** `isShared`: another process may post the same comment. */
type Post = { readonly thread: number; readonly body: string; readonly isSame: IsSame; readonly isShared: boolean };

/** Another process may post the same comment, so each looks for duplicates afterwards, and deletes its own if it is the later one. */
export async function postComment(
  client: GitHubClient,
  { thread, body, isSame, isShared }: Post,
): Promise<EffectOutcome> {
  const sinceMs = client.now();
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const outcome = await call(client, route, { issue_number: thread, body });
  const posted =
    outcome.kind === 'unknown' ? await findPosted(client, thread, isSame, outcome.message) : commentIdOutcome(outcome);
  const isLate = client.now() - sinceMs >= limits.publishGraceMs;
  return isShared || isLate ? removeDuplicate(client, thread, isSame, posted) : posted;
}

async function removeDuplicate(
  client: GitHubClient,
  thread: number,
  isSame: IsSame,
  posted: EffectOutcome,
): Promise<EffectOutcome> {
  if (posted.kind !== 'done' || posted.number === null) return posted;
  const [first] = (await listOwnComments(client, thread, isSame)) ?? [];
  if (first === undefined || first >= posted.number) return posted;
  await deleteComment(client, posted.number);
  return { kind: 'done', number: first };
}

/** Resolves a lost answer: keeps the first matching comment and deletes later ones. */
async function findPosted(client: GitHubClient, thread: number, isSame: IsSame, why: string): Promise<EffectOutcome> {
  const [first, ...later] = (await listOwnComments(client, thread, isSame)) ?? [];
  if (first === undefined) return { kind: 'unknown', message: why };
  for (const comment of later) await deleteComment(client, comment);
  return { kind: 'done', number: first };
}

async function deleteComment(client: GitHubClient, comment: number): Promise<void> {
  await call(client, 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: comment });
}

/** Matching recent comments, oldest first; null if the list could not be read. */
async function listOwnComments(
  client: GitHubClient,
  thread: number,
  isSame: IsSame,
): Promise<readonly number[] | null> {
  const since = new Date(client.now() - LOOK_BACK_MS).toISOString();
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const read = await readPages(client, route, listed, { issue_number: thread, since, pagesMax: PAGES_MAX });
  if (read.kind === 'unknown') return null;
  const ours = read.value.rows.filter(({ user, body }) => user?.type === 'Bot' && isSame(body ?? ''));
  return ours.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Longer than one posting attempt can take. */
const LOOK_BACK_MS = 10 * 60 * 1_000;
/** Oldest first: ten pages exceed what ten people can post in ten minutes. */
const PAGES_MAX = 10;

const UNHIDE = `mutation($id: ID!) {
  unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } }
}`;
const unhidden = z.object({
  unminimizeComment: z.object({ unminimizedComment: z.object({ isMinimized: z.literal(false) }) }),
});

/** Replaces a comment's text, and first unhides it if `hidden` is set (node id). Idempotent. */
export async function editComment(
  client: GitHubClient,
  { comment, body, hidden }: Pick<Extract<Effect, { kind: 'edit-comment' }>, 'comment' | 'body' | 'hidden'>,
): Promise<EffectOutcome> {
  if (hidden !== undefined) {
    noteWrite(client);
    const shown = await queryGraphql(client, { text: UNHIDE, schema: unhidden }, { id: hidden });
    if (shown.kind === 'unknown') return { kind: 'unknown', message: shown.why };
  }
  return commentIdOutcome(
    await call(client, 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: comment, body }),
  );
}

/** GitHub answers 200 if the reaction exists. A review itself cannot have reactions. */
export async function addReaction(
  client: GitHubClient,
  surface: Surface,
  comment: number,
  content: 'eyes' | 'confused',
): Promise<EffectOutcome> {
  if (surface === 'review') return { kind: 'done', number: null };
  return commentIdOutcome(await call(client, REACTIONS[surface], { comment_id: comment, content }));
}

const REACTIONS = {
  comment: 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  'review-comment': 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
} as const;

/** Outcome of a write that returns an `id` and, for comments, a body. The caller verifies the marker. */
export function commentIdOutcome(outcome: CallOutcome): EffectOutcome {
  if (outcome.kind !== 'answered') return toRefusalOutcome(outcome);
  const parsed = numbered.safeParse(outcome.data);
  if (!parsed.success) return { kind: 'done', number: null };
  const { id, body, updated_at } = parsed.data;
  const updatedAt = fromRfc3339(updated_at ?? '');
  return body === undefined || updatedAt === null
    ? { kind: 'done', number: id }
    : { kind: 'done', number: id, written: { body, updatedAt, marker: null } };
}

const REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
const lockSchema = z.object({ locked: z.boolean(), active_lock_reason: z.enum(REASONS).nullish().catch(null) });

/** Retries of relocking; each is a write. */
const LOCK_TRIES_MAX = 3;

/** `leftOpen`: why the thread could not be locked again; null if unchanged. */
export type ThreadWrite = { readonly outcome: EffectOutcome; readonly leftOpen: string | null };

/** Writes; if only the lock prevents it, unlocks the thread for the write and locks it again. */
export async function unlocked(
  client: GitHubClient,
  thread: number,
  write: () => Promise<EffectOutcome>,
): Promise<ThreadWrite> {
  const outcome = await write();
  const asItWas = { outcome, leftOpen: null };
  if (outcome.kind !== 'refused' || outcome.code !== '403' || !/\blocked\b/i.test(outcome.message)) return asItWas;
  const lock = await readLock(client, thread);
  if (lock === null) return asItWas;
  const lifted = await call(client, 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock', {
    issue_number: thread,
  });
  // A lost answer may mean that the thread was unlocked.
  if (lifted.kind === 'refused') return asItWas;
  const [written] = await Promise.allSettled([write()]);
  const leftOpen = await restoreLock(client, thread, lock);
  if (written.status === 'rejected') throw written.reason;
  return { outcome: written.value, leftOpen };
}

type Lock = { readonly lock_reason?: (typeof REASONS)[number] };

/** Null on success, otherwise GitHub's last message. */
async function restoreLock(client: GitHubClient, thread: number, lock: Lock): Promise<string | null> {
  let why: string | null = null;
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries += 1) {
    const locked = await call(client, 'PUT /repos/{owner}/{repo}/issues/{issue_number}/lock', {
      issue_number: thread,
      ...lock,
    });
    if (locked.kind === 'answered') return null;
    why = locked.message;
  }
  return why;
}

/** The lock with its reason; null if unlocked or unknown. */
async function readLock(client: GitHubClient, thread: number): Promise<Lock | null> {
  const found = await readRoute(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}', lockSchema, {
    issue_number: thread,
  });
  if (found.kind === 'unknown' || !found.value.locked) return null;
  const { active_lock_reason: reason } = found.value;
  return reason == null ? {} : { lock_reason: reason };
}
