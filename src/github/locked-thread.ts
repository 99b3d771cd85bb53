/**
 * Posts in a locked thread, where GitHub rejects Apps and workflows but lets them unlock. A person who locks a thread must not be able to
 * suppress alarms and answers.
 */

import { z } from 'zod';
import type { EffectOutcome } from '../domain/effect.ts';
import { call, type GitHubClient, read } from './call.ts';

const REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
const lockSchema = z.object({
  locked: z.boolean(),
  active_lock_reason: z.enum(REASONS).nullish().catch(null),
});

/** Retries of relocking; each is a write. */
const LOCK_TRIES_MAX = 3;

/** `leftOpen`: why the thread could not be locked again; null if unchanged. */
export type Written = { readonly outcome: EffectOutcome; readonly leftOpen: string | null };

/** Writes; if only the lock prevents it, unlocks the thread for the write and locks it again. */
export async function inThread(
  client: GitHubClient,
  thread: number,
  write: () => Promise<EffectOutcome>,
): Promise<Written> {
  const outcome = await write();
  const asItWas = { outcome, leftOpen: null };
  if (outcome.kind !== 'refused' || outcome.code !== '403' || !/\blocked\b/i.test(outcome.message))
    return asItWas;
  const lock = await lockOf(client, thread);
  if (lock === null) return asItWas;
  const lifted = await call(client, 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock', {
    issue_number: thread,
  });
  // A lost answer may mean that the thread was unlocked.
  if (lifted.kind === 'refused') return asItWas;
  const [written] = await Promise.allSettled([write()]);
  const leftOpen = await lockAgain(client, thread, lock);
  if (written.status === 'rejected') throw written.reason;
  return { outcome: written.value, leftOpen };
}

type Lock = { readonly lock_reason?: (typeof REASONS)[number] };

/** Null on success, otherwise GitHub's last message. */
async function lockAgain(client: GitHubClient, thread: number, lock: Lock): Promise<string | null> {
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
async function lockOf(client: GitHubClient, thread: number): Promise<Lock | null> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const found = await read(client, route, lockSchema, { issue_number: thread });
  if (found.kind === 'unknown' || !found.value.locked) return null;
  const { active_lock_reason: reason } = found.value;
  return reason == null ? {} : { lock_reason: reason };
}
