/** All jobs of a watch in one pass: the list once, however many they are. */

import { z } from 'zod';
import type { AskedJob, FoundJob, JobObservation } from '../../../domain/engine.ts';
import { readJobDetails } from '../job-details.ts';
import { ask, parse, scrub } from './ask.ts';
import { missing, observeOverRest } from './observe.ts';
import { readSession } from './session.ts';
import type { RestSettings } from './settings.ts';

/** Who an entry of the list is about, whatever else stands in it. */
const named = z.object({ submission_id: z.string().nullish(), job_id: z.string().nullish() });

/**
 * `GET /api/jobs/` between two looks at the session: three requests. An entry that cannot be read is `unknown` for its
 * job; one that does not even say whom it is about makes every missing job `unknown`. A list that is too large for one
 * answer (a head that was never cleaned) is left, and each job is asked for by itself.
 */
export async function observeManyOverRest(
  settings: RestSettings,
  asked: readonly AskedJob[],
): Promise<readonly JobObservation[]> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return asked.map(() => ({ kind: 'unknown', message: before.message }));
  const answer = await ask(settings, { method: 'GET', path: 'api/jobs/' });
  if (answer.kind === 'unknown' && answer.cause === 'too-large') return oneByOne(settings, asked);
  const list = parse(settings, answer, z.array(z.unknown()));
  if (list.kind === 'unknown') return asked.map(() => ({ kind: 'unknown', message: list.message }));
  const after = await readSession(settings);
  const { jobs, nameless } = byId(settings, list.value, before.id);
  return asked.map(({ jobId, lastSession }) => {
    const job = jobs.get(jobId);
    if (job === 'unreadable')
      return { kind: 'unknown', message: 'the list tells of the job in an unknown way' };
    if (job !== undefined) return job;
    if (after.kind === 'unknown') return { kind: 'unknown', message: after.message };
    if (nameless > 0) return { kind: 'unknown', message: `${nameless} entries of the list name no job` };
    return missing(lastSession, after.id);
  });
}

function byId(
  settings: RestSettings,
  list: readonly unknown[],
  session: string,
): { readonly jobs: ReadonlyMap<string, FoundJob | 'unreadable'>; readonly nameless: number } {
  const clean = (text: string, secrets: readonly string[]): string => scrub(settings, text, secrets);
  const jobs = new Map<string, FoundJob | 'unreadable'>();
  let nameless = 0;
  for (const entry of list) {
    const name = named.safeParse(entry).data;
    const id = name?.submission_id ?? name?.job_id;
    if (id === null || id === undefined) nameless += 1;
    else jobs.set(id, readJobDetails(entry, session, clean)?.found ?? 'unreadable');
  }
  return { jobs, nameless };
}

async function oneByOne(
  settings: RestSettings,
  asked: readonly AskedJob[],
): Promise<readonly JobObservation[]> {
  const seen: JobObservation[] = [];
  for (const { jobId, lastSession } of asked) seen.push(await observeOverRest(settings, jobId, lastSession));
  return seen;
}
