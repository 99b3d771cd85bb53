/** The `ray` engine over the Jobs API of a head (ray-project/ray, python/ray/dashboard/modules/job). */

import { z } from 'zod';
import {
  type AskedJob,
  type Engine,
  type FoundJob,
  isTerminal,
  type JobDescription,
  type JobObservation,
  type LiveJob,
  type StopOutcome,
} from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { known, type Observed, parseJson, unknown } from '../../../domain/values.ts';
import { createKept } from '../../../host/memory.ts';
import { guardWithCapabilities, isSubmissionId, missingJob, stopAndConfirm, unknownOutcome } from '../../shared/kit.ts';
import { readJobDetails } from '../job-details.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import {
  call,
  isMissingAnswer,
  lastLine,
  lookUpJob,
  maskSecrets,
  parseAnswer,
  type RestOptions,
  type RestSettings,
  readSession,
  restSettings,
} from './request.ts';
import { submitOverRest } from './submit.ts';

/** Log positions that one process keeps. */
const RAY_LOGS_KEPT = 64;

/**
 * An engine over one dashboard. The head has all its state, except the logs that it follows. Another process reads those
 * from the start.
 */
export function createRestEngine(options: RestOptions): Engine {
  const settings = restSettings(options);
  const readers = createKept<LogReader>(RAY_LOGS_KEPT, (reader) => reader.close());
  return guardWithCapabilities({
    name: 'ray',
    forgetsWithSession: true,
    session: () => readSession(settings),
    submit: (spec) => submitOverRest(settings, spec),
    observe: (jobId, lastSession) => observeOverRest(settings, jobId, lastSession),
    observeMany: (asked) => observeManyOverRest(settings, asked),
    live: () => listLiveOverRest(settings),
    describe: (jobId) => describeOverRest(settings, jobId, null),
    readLog: (jobId, offset) => readers.get(jobId, () => createLogReader(settings, jobId)).read(offset),
    stop: (jobId) => stopOverRest(settings, jobId),
  });
}

/** The job that a list entry is about; the rest of the entry may be invalid. */
const named = z.object({ submission_id: z.string().nullish(), job_id: z.string().nullish() });

/**
 * Sends `GET /api/jobs/` between two reads of the session: three requests. An unreadable entry makes its job `unknown`. An
 * entry without an id makes every missing job `unknown`. If the list is too large for one answer (a head that was never
 * cleaned), each job is requested separately.
 */
async function observeManyOverRest(
  settings: RestSettings,
  asked: readonly AskedJob[],
): Promise<readonly JobObservation[]> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return asked.map(() => unknownOutcome(before.message));
  const answer = await call(settings, { method: 'GET', path: 'api/jobs/' });
  if (answer.kind === 'unknown' && answer.cause === 'too-large') return observeOneByOne(settings, asked);
  const list = parseAnswer(settings, answer, z.array(z.unknown()));
  if (list.kind === 'unknown') return asked.map(() => unknownOutcome(list.message));
  const after = await readSession(settings);
  const { jobs, nameless } = indexJobs(settings, list.value, before.id);
  return asked.map(({ jobId, lastSession }) => {
    const job = jobs.get(jobId);
    if (job === 'unreadable') return unknownOutcome('the list tells of the job in an unknown way');
    if (job !== undefined) return job;
    if (after.kind === 'unknown') return unknownOutcome(after.message);
    if (nameless > 0) return unknownOutcome(`${nameless} entries of the list name no job`);
    return toMissingJob(lastSession, after.id);
  });
}

function indexJobs(
  settings: RestSettings,
  list: readonly unknown[],
  session: string,
): { readonly jobs: ReadonlyMap<string, FoundJob | 'unreadable'>; readonly nameless: number } {
  const clean = (text: string, secrets: readonly string[]): string => maskSecrets(settings, text, secrets);
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

async function observeOneByOne(settings: RestSettings, asked: readonly AskedJob[]): Promise<readonly JobObservation[]> {
  const seen: JobObservation[] = [];
  for (const { jobId, lastSession } of asked) seen.push(await observeOverRest(settings, jobId, lastSession));
  return seen;
}

/** An unreadable entry makes the whole list unknown, because it may be the wanted job. */
async function listLiveOverRest(settings: RestSettings): Promise<Observed<readonly LiveJob[]>> {
  const answer = await call(settings, { method: 'GET', path: 'api/jobs/' });
  const list = parseAnswer(settings, answer, z.array(z.unknown()));
  if (list.kind === 'unknown') return unknown(list.message);
  const jobs: LiveJob[] = [];
  for (const entry of list.value) {
    const job = readJobDetails(entry, null, (text, secrets) => maskSecrets(settings, text, secrets));
    const jobId = job?.submissionId ?? job?.rayJobId ?? null;
    if (job === null || jobId === null) return unknown('an entry of the list cannot be read');
    const { status, startedAtMs, metadata } = job.found;
    if (!isTerminal(status)) jobs.push({ jobId, status, startedAtMs, metadata, about: job.origin.entrypoint ?? '' });
  }
  return known(jobs);
}

/**
 * Observes once. Reads the session before the job, and again if the job is missing: a head that restarted in between must
 * not pass for the head that knew the job.
 */
async function observeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const seen = await describeOverRest(settings, jobId, lastSession);
  return seen.kind === 'described' ? seen.job : seen;
}

/** The same observation, with the job's origin. */
async function describeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<Exclude<JobDescription, { readonly kind: 'cannot' }>> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return unknownOutcome(before.message);
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: before.id };
  const found = await lookUpJob(settings, jobId, before.id);
  switch (found.kind) {
    case 'unknown':
      return unknownOutcome(found.message);
    case 'there':
      return { kind: 'described', job: found.job, origin: found.origin };
    case 'missing': {
      const after = await readSession(settings);
      if (after.kind === 'unknown') return unknownOutcome(after.message);
      return toMissingJob(lastSession, after.id);
    }
  }
}

/**
 * A job that was never seen is absent. A job that was seen is lost: a head without external storage forgets all jobs when it
 * restarts, and within one session people can delete the record of an ended job (`DELETE /api/jobs/{id}`).
 */
function toMissingJob(lastSession: string | null, session: string): ReturnType<typeof missingJob> {
  const message =
    lastSession === session
      ? 'the record of the job was deleted on the head, which takes only jobs that have ended; how it ended is not known'
      : `the head restarted (${lastSession} before, ${session} now) and has forgotten the job`;
  return missingJob(lastSession, session, message);
}

const stopAnswer = z.object({ stopped: z.boolean() });

/**
 * `POST /api/jobs/{id}/stop` only forwards the request. A PENDING job may never receive it (ray-project/ray issue 58353),
 * even if Ray answers yes. So the job is observed before, to distinguish *already ended* from *stopped*, and after, until it
 * has ended or the time is over.
 */
function stopOverRest(settings: RestSettings, jobId: string): Promise<StopOutcome> {
  return stopAndConfirm({
    // A missing job means a deleted record of an ended job, or a restarted head. Neither shows how the job ended.
    observe: async () => {
      const found = await lookUpJob(settings, jobId, null);
      if (found.kind === 'there') return found.job;
      return found.kind === 'missing' ? { kind: 'absent', session: null } : found;
    },
    ask: async (before) => {
      if (before.kind === 'unknown') return unknownOutcome(before.message);
      const answer = await call(settings, { method: 'POST', path: `api/jobs/${jobId}/stop` });
      if (answer.kind === 'unknown') return maskSecrets(settings, `the wish may not have arrived: ${answer.message}`);
      if (isMissingAnswer(answer, jobId)) return { kind: 'absent' };
      const said = lastLine(settings, answer.text);
      if (answer.status === 400) return unknownOutcome(`Ray stops no job of this kind: ${said}`);
      if (answer.status !== 200) return maskSecrets(settings, `the wish was refused: ${answer.status}: ${said}`);
      const isHandedOn = stopAnswer.safeParse(parseJson(answer.text)).data?.stopped === true;
      return isHandedOn ? 'Ray has handed the wish on' : 'Ray found nobody to hand the wish to';
    },
    giveUp: (last, asked) =>
      last.kind === 'found'
        ? { kind: 'stopping', message: `${asked}; the job is still ${last.status}` }
        : unknownOutcome(`${asked}; then: ${last.kind === 'unknown' ? last.message : last.kind}`),
    sleep: settings.sleep,
    pollMs: limits.rayStopPollMs,
  });
}
