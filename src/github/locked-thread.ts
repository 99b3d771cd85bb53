/**
 * Words in a thread that somebody has locked. There GitHub takes people's words alone, whatever an App or a workflow may do, and
 * lets both lift the lock. A run's alarms and answers are not for whoever locks its thread to keep back.
 */

import { z } from 'zod';
import type { EffectOutcome } from '../domain/effect.ts';
import { call, type GitHubClient } from './call.ts';

const REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
const lockSchema = z.object({
  locked: z.boolean(),
  active_lock_reason: z.enum(REASONS).nullish().catch(null),
});

/** Writes; where the lock is all that is in the way it is lifted for that write, and put back as it was. */
export async function inThread(
  client: GitHubClient,
  thread: number,
  write: () => Promise<EffectOutcome>,
): Promise<EffectOutcome> {
  const outcome = await write();
  if (outcome.kind !== 'refused' || outcome.code !== '403' || !/\blocked\b/i.test(outcome.message))
    return outcome;
  const lock = await lockOf(client, thread);
  if (lock === null) return outcome;
  const lifted = await call(client, 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock', {
    issue_number: thread,
  });
  if (lifted.kind !== 'answered') return outcome;
  try {
    return await write();
  } finally {
    await call(client, 'PUT /repos/{owner}/{repo}/issues/{issue_number}/lock', {
      issue_number: thread,
      ...lock,
    });
  }
}

/** With its reason; null where the thread is not locked, or nobody can tell. */
async function lockOf(
  client: GitHubClient,
  thread: number,
): Promise<{ readonly lock_reason?: (typeof REASONS)[number] } | null> {
  const read = await call(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}', {
    issue_number: thread,
  });
  const parsed = read.kind === 'answered' ? lockSchema.safeParse(read.data) : null;
  if (parsed?.success !== true || !parsed.data.locked) return null;
  const { active_lock_reason: reason } = parsed.data;
  return reason == null ? {} : { lock_reason: reason };
}
