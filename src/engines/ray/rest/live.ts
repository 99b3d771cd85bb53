/** `GET /api/jobs/`: what waits or runs on the head now, whoever launched it. */

import { z } from 'zod';
import { isTerminal, type LiveJob } from '../../../domain/engine.ts';
import { known, type Observed, unknown } from '../../../domain/observed.ts';
import { readJobDetails } from '../job-details.ts';
import { ask, parse, scrub } from './ask.ts';
import type { RestSettings } from './settings.ts';

/** An entry that is no job of a Ray that is known here makes the whole list unknown: it may be one of those that are looked for. */
export async function liveOverRest(settings: RestSettings): Promise<Observed<readonly LiveJob[]>> {
  const answer = await ask(settings, { method: 'GET', path: 'api/jobs/' });
  const list = parse(settings, answer, z.array(z.unknown()));
  if (list.kind === 'unknown') return unknown(list.message);
  const jobs: LiveJob[] = [];
  for (const entry of list.value) {
    const job = readJobDetails(entry, null, (text, secrets) => scrub(settings, text, secrets));
    const jobId = job?.submissionId ?? job?.rayJobId ?? null;
    if (job === null || jobId === null) return unknown('an entry of the list cannot be read');
    const { status, startedAtMs, metadata } = job.found;
    if (!isTerminal(status))
      jobs.push({ jobId, status, startedAtMs, metadata, about: job.origin.entrypoint ?? '' });
  }
  return known(jobs);
}
