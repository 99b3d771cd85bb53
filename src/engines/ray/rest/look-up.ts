/** One job by its id: there, positively not there, or no usable answer. */

import { z } from 'zod';
import type { FoundJob, JobOrigin } from '../../../domain/engine.ts';
import { readJobDetails } from '../job-details.ts';
import { ask, type NoAnswer, noAnswer, parse, scrub } from './ask.ts';
import type { RestSettings } from './settings.ts';

export type LookUp =
  | { readonly kind: 'there'; readonly job: FoundJob; readonly origin: JobOrigin }
  | { readonly kind: 'missing' }
  | NoAnswer;

const JOB_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can be a submission of ours, and a part of a path that means nothing else. */
export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

/** `GET /api/jobs/{id}`. Only Ray's own sentence about exactly this id means that it has no such job. `session`: as read before. */
export async function lookUp(settings: RestSettings, jobId: string, session: string | null): Promise<LookUp> {
  const answer = await ask(settings, { method: 'GET', path: `api/jobs/${jobId}` });
  if (answer.kind === 'answer' && saysMissing(answer, jobId)) return { kind: 'missing' };
  const said = parse(settings, answer, z.unknown());
  if (said.kind === 'unknown') return said;
  const job = readJobDetails(said.value, session, (text, secrets) => scrub(settings, text, secrets));
  if (job === null) return noAnswer('no-ray', 'this is no job of a Ray that is known here');
  if (job.submissionId !== jobId && job.rayJobId !== jobId)
    return noAnswer('no-ray', `asked for ${jobId}, the dashboard tells of another job`);
  return { kind: 'there', job: job.found, origin: job.origin };
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
