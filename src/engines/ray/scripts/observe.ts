/** What a job is doing, by the list of all jobs that the lab's script prints. */

import type { JobDescription, JobObservation } from '../../../domain/engine.ts';
import { listJobs } from './list-jobs.ts';
import type { ScriptSettings } from './settings.ts';

/**
 * A job that is missing from a list that can be trusted is absent where it was never seen, and `state-lost` where it
 * was: how it ended nobody knows, and the scripts tell no session by which a restart of the head would show.
 */
export async function observeByScript(
  settings: ScriptSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const seen = await describeByScript(settings, jobId, lastSession);
  return seen.kind === 'described' ? seen.job : seen;
}

/** The same, with where the job comes from. */
export async function describeByScript(
  settings: ScriptSettings,
  jobId: string,
  lastSession: string | null,
): Promise<Exclude<JobDescription, { readonly kind: 'cannot' }>> {
  const list = await listJobs(settings);
  if (list.kind === 'unknown') return list;
  const job = list.jobs.find(({ submissionId }) => submissionId === jobId);
  if (job !== undefined) return { kind: 'described', job: job.found, origin: job.origin };
  if (!list.isWhole) return { kind: 'unknown', message: 'the list of jobs is cut and the job not in it' };
  return lastSession === null
    ? { kind: 'absent', session: null }
    : { kind: 'state-lost', session: '', message: 'the cluster lists other jobs and this one no more' };
}
