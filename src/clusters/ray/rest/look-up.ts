/** One job by its id: there, positively not there, or no usable answer. */

import { ask, type NoAnswer, noAnswer, parse } from './ask.ts';
import { type JobAnswer, jobAnswer } from './job-answer.ts';
import type { RestSettings } from './settings.ts';

export type LookUp =
  | { readonly kind: 'there'; readonly job: JobAnswer }
  | { readonly kind: 'missing' }
  | NoAnswer;

const JOB_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can be a submission of ours, and a part of a path that means nothing else. */
export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

/** `GET /api/jobs/{id}`. Only Ray's own sentence about exactly this id means that it has no such job. */
export async function lookUp(settings: RestSettings, jobId: string): Promise<LookUp> {
  const answer = await ask(settings, { method: 'GET', path: `api/jobs/${jobId}` });
  if (answer.kind === 'answer' && saysMissing(answer, jobId)) return { kind: 'missing' };
  const job = parse(answer, jobAnswer);
  if ('kind' in job) return job;
  if (job.submission_id !== jobId && job.job_id !== jobId)
    return noAnswer('no-ray', `asked for ${jobId}, the dashboard tells of another job`);
  return { kind: 'there', job };
}

/** A proxy's or another program's 404 says nothing about a job (job_head.py: `Job {id} does not exist`). */
export function saysMissing(
  answer: { readonly status: number; readonly contentType: string; readonly text: string },
  jobId: string,
): boolean {
  return (
    answer.status === 404 &&
    answer.contentType.startsWith('text/plain') &&
    answer.text.trim() === `Job ${jobId} does not exist`
  );
}
