/** What a job of a Ray cluster is doing, and what it means when the head has none of its name. */

import type { JobDescription, JobObservation } from '../../../domain/engine.ts';
import { isJobId, lookUp } from './look-up.ts';
import { readSession } from './session.ts';
import type { RestSettings } from './settings.ts';

/**
 * Looks once. The session is read before the job, and once more when the job is missing: a head that restarted in
 * between must not pass for the one that knew it.
 */
export async function observeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const seen = await describeOverRest(settings, jobId, lastSession);
  return seen.kind === 'described' ? seen.job : seen;
}

/** The same, with where the job comes from. */
export async function describeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<Exclude<JobDescription, { readonly kind: 'cannot' }>> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return { kind: 'unknown', message: before.message };
  if (!isJobId(jobId)) return { kind: 'absent', session: before.id };
  const found = await lookUp(settings, jobId, before.id);
  switch (found.kind) {
    case 'unknown':
      return { kind: 'unknown', message: found.message };
    case 'there':
      return { kind: 'described', job: found.job, origin: found.origin };
    case 'missing': {
      const after = await readSession(settings);
      if (after.kind === 'unknown') return { kind: 'unknown', message: after.message };
      return missing(lastSession, after.id);
    }
  }
}

/**
 * A job that was never seen is absent. One that was seen is lost, whatever became of it: a head without external
 * storage forgets all jobs when it restarts, and within one session Ray lets people delete the record of a job that
 * has ended (`DELETE /api/jobs/{id}`).
 */
export function missing(
  lastSession: string | null,
  session: string,
): Extract<JobObservation, { kind: 'absent' | 'state-lost' }> {
  if (lastSession === null) return { kind: 'absent', session };
  const message =
    lastSession === session
      ? 'the record of the job was deleted on the head, which takes only jobs that have ended; how it ended is not known'
      : `the head restarted (${lastSession} before, ${session} now) and has forgotten the job`;
  return { kind: 'state-lost', session, message };
}
