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
import { jsonIn, known, type Observed, unknown } from '../../../domain/values.ts';
import { createKept } from '../../../host/memory.ts';
import { guarded, isSubmissionId, missingJob, stopAndConfirm, unknownBecause } from '../../shared/kit.ts';
import { readJobDetails } from '../job-details.ts';
import {
  ask,
  lastLine,
  lookUp,
  parse,
  type RestOptions,
  type RestSettings,
  readSession,
  restSettings,
  saysMissing,
  scrub,
} from './ask.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import { submitOverRest } from './submit.ts';

/** Logs in which one process keeps its place. */
const RAY_LOGS_KEPT = 64;

/**
 * An engine over one dashboard. Everything that it knows lies on the head, but for the logs that it follows, which are
 * read anew where another process goes on.
 */
export function createRestEngine(options: RestOptions): Engine {
  const settings = restSettings(options);
  const readers = createKept<LogReader>(RAY_LOGS_KEPT, (reader) => reader.close());
  return guarded({
    name: 'ray',
    forgetsWithSession: true,
    session: () => readSession(settings),
    submit: (spec) => submitOverRest(settings, spec),
    observe: (jobId, lastSession) => observeOverRest(settings, jobId, lastSession),
    observeMany: (asked) => observeManyOverRest(settings, asked),
    live: () => liveOverRest(settings),
    describe: (jobId) => describeOverRest(settings, jobId, null),
    readLog: (jobId, offset) => readers.get(jobId, () => createLogReader(settings, jobId)).read(offset),
    stop: (jobId) => stopOverRest(settings, jobId),
  });
}

/** Who an entry of the list is about, whatever else stands in it. */
const named = z.object({ submission_id: z.string().nullish(), job_id: z.string().nullish() });

/**
 * `GET /api/jobs/` between two looks at the session: three requests. An entry that cannot be read is `unknown` for its
 * job; one that does not even say whom it is about makes every missing job `unknown`. A list that is too large for one
 * answer (a head that was never cleaned) is left, and each job is asked for by itself.
 */
async function observeManyOverRest(
  settings: RestSettings,
  asked: readonly AskedJob[],
): Promise<readonly JobObservation[]> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return asked.map(() => unknownBecause(before.message));
  const answer = await ask(settings, { method: 'GET', path: 'api/jobs/' });
  if (answer.kind === 'unknown' && answer.cause === 'too-large') return oneByOne(settings, asked);
  const list = parse(settings, answer, z.array(z.unknown()));
  if (list.kind === 'unknown') return asked.map(() => unknownBecause(list.message));
  const after = await readSession(settings);
  const { jobs, nameless } = byId(settings, list.value, before.id);
  return asked.map(({ jobId, lastSession }) => {
    const job = jobs.get(jobId);
    if (job === 'unreadable') return unknownBecause('the list tells of the job in an unknown way');
    if (job !== undefined) return job;
    if (after.kind === 'unknown') return unknownBecause(after.message);
    if (nameless > 0) return unknownBecause(`${nameless} entries of the list name no job`);
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

/** An entry that is no job of a Ray that is known here makes the whole list unknown: it may be one of those that are looked for. */
async function liveOverRest(settings: RestSettings): Promise<Observed<readonly LiveJob[]>> {
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

/**
 * Looks once. The session is read before the job, and once more when the job is missing: a head that restarted in
 * between must not pass for the one that knew it.
 */
async function observeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const seen = await describeOverRest(settings, jobId, lastSession);
  return seen.kind === 'described' ? seen.job : seen;
}

/** The same, with where the job comes from. */
async function describeOverRest(
  settings: RestSettings,
  jobId: string,
  lastSession: string | null,
): Promise<Exclude<JobDescription, { readonly kind: 'cannot' }>> {
  const before = await readSession(settings);
  if (before.kind === 'unknown') return unknownBecause(before.message);
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: before.id };
  const found = await lookUp(settings, jobId, before.id);
  switch (found.kind) {
    case 'unknown':
      return unknownBecause(found.message);
    case 'there':
      return { kind: 'described', job: found.job, origin: found.origin };
    case 'missing': {
      const after = await readSession(settings);
      if (after.kind === 'unknown') return unknownBecause(after.message);
      return missing(lastSession, after.id);
    }
  }
}

/**
 * A job that was never seen is absent. One that was seen is lost, whatever became of it: a head without external
 * storage forgets all jobs when it restarts, and within one session Ray lets people delete the record of a job that
 * has ended (`DELETE /api/jobs/{id}`).
 */
function missing(lastSession: string | null, session: string): ReturnType<typeof missingJob> {
  const message =
    lastSession === session
      ? 'the record of the job was deleted on the head, which takes only jobs that have ended; how it ended is not known'
      : `the head restarted (${lastSession} before, ${session} now) and has forgotten the job`;
  return missingJob(lastSession, session, message);
}

const stopAnswer = z.object({ stopped: z.boolean() });

/**
 * `POST /api/jobs/{id}/stop` only hands the wish on; a job that is PENDING may never hear of it (ray-project/ray
 * issue 58353), whatever the answer says. So the job is looked at before, to tell *ended already* from *stopped*, and
 * after, until it has ended or the time is over.
 */
function stopOverRest(settings: RestSettings, jobId: string): Promise<StopOutcome> {
  return stopAndConfirm({
    // A record that somebody deleted, which takes a job that has ended, and a head that restarted: neither says how it ended.
    observe: async () => {
      const found = await lookUp(settings, jobId, null);
      if (found.kind === 'there') return found.job;
      return found.kind === 'missing' ? { kind: 'absent', session: null } : found;
    },
    ask: async (before) => {
      if (before.kind === 'unknown') return unknownBecause(before.message);
      const answer = await ask(settings, { method: 'POST', path: `api/jobs/${jobId}/stop` });
      if (answer.kind === 'unknown')
        return scrub(settings, `the wish may not have arrived: ${answer.message}`);
      if (saysMissing(answer, jobId)) return { kind: 'absent' };
      const said = lastLine(settings, answer.text);
      if (answer.status === 400) return unknownBecause(`Ray stops no job of this kind: ${said}`);
      if (answer.status !== 200) return scrub(settings, `the wish was refused: ${answer.status}: ${said}`);
      const isHandedOn = stopAnswer.safeParse(jsonIn(answer.text)).data?.stopped === true;
      return isHandedOn ? 'Ray has handed the wish on' : 'Ray found nobody to hand the wish to';
    },
    late: (last, asked) =>
      last.kind === 'found'
        ? { kind: 'stopping', message: `${asked}; the job is still ${last.status}` }
        : unknownBecause(`${asked}; then: ${last.kind === 'unknown' ? last.message : last.kind}`),
    sleep: settings.sleep,
    pollMs: limits.rayStopPollMs,
  });
}
