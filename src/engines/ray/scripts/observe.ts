/** What a job is doing, by the list of all jobs that the lab's script prints. */

import { stripVTControlCharacters } from 'node:util';
import type { JobDescription, JobObservation, StopOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { stopAndConfirm, unknownBecause } from '../../shared/acts.ts';
import { jsonIn } from '../../shared/http.ts';
import { type RayJob, readJobDetails } from '../job-details.ts';

import { runScript, type ScriptSettings } from './run-script.ts';
import { reasonOf, scrubber } from './said.ts';

/** What the scripts ask Ray for (`--limit=10000`, scripts/ray/cluster.py): a list of so many may lack one. */
const RAY_LISTED_JOBS_MAX = 10_000;

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
  if (!list.isWhole) return unknownBecause('the list of jobs is cut and the job not in it');
  return lastSession === null
    ? { kind: 'absent', session: null }
    : { kind: 'state-lost', session: '', message: 'the cluster lists other jobs and this one no more' };
}

/** Asks the lab's script for all jobs of the cluster. An empty list means *none* and *could not read* alike, so it means nothing. */
type JobList =
  | { readonly kind: 'jobs'; readonly jobs: readonly RayJob[]; readonly isWhole: boolean }
  | { readonly kind: 'unknown'; readonly message: string };

/** `isWhole`: fewer jobs than the script asks Ray for, so that a job that is not among them is not there. */
async function listJobs(settings: ScriptSettings): Promise<JobList> {
  const fill = { texts: {}, lists: {} };
  const end = await runScript(settings, { template: settings.templates.list, fill, cwd: null, env: {} });
  const scrub = scrubber(settings.secrets);
  switch (end.kind) {
    case 'not-started':
      return unknownBecause(`the script for the list could not be started: ${end.code}`);
    case 'cut':
      return unknownBecause(`the script for the list was cut: ${end.why}`);
    case 'exited':
      return end.exitCode === 0
        ? parseJobList(end.stdout, settings.secrets)
        : unknownBecause(`the script for the list failed: ${reasonOf(end, scrub)}`);
  }
}

/** `json.dumps` of Ray's own list, possibly after lines of its command line. */
function parseJobList(output: string, secrets: readonly string[]): JobList {
  const scrub = (text: string, more: readonly string[]): string => scrubber([...secrets, ...more])(text);
  const plain = stripVTControlCharacters(output);
  const start = plain.search(/^\[/m);
  const rows = start < 0 ? undefined : jsonIn(plain.slice(start, plain.lastIndexOf(']') + 1));
  if (!Array.isArray(rows)) return unknownBecause('the list of jobs is no JSON list');
  if (rows.length === 0)
    return unknownBecause('the list of jobs is empty, which it also is when it could not be read');
  const jobs = rows.flatMap((row) => readJobDetails(row, null, scrub) ?? []);
  if (jobs.length < rows.length)
    return unknownBecause(`${rows.length - jobs.length} jobs of the list cannot be read`);
  return { kind: 'jobs', jobs, isWhole: rows.length < RAY_LISTED_JOBS_MAX };
}

/** `observe` looks in the way that the engine prefers; the script's own word is not taken for it. */
export function stopByScript(
  settings: ScriptSettings,
  observe: (jobId: string) => Promise<JobObservation>,
  jobId: string,
): Promise<StopOutcome> {
  return stopAndConfirm({
    observe: () => observe(jobId),
    ask: async () => {
      const fill = { texts: { jobId }, lists: {} };
      const end = await runScript(settings, { template: settings.templates.stop, fill, cwd: null, env: {} });
      if (end.kind === 'not-started')
        return unknownBecause(`the script for the stop could not be started: ${end.code}`);
      return end.kind === 'cut' ? end.why : reasonOf(end, scrubber(settings.secrets));
    },
    late: (last, asked) =>
      last.kind === 'found'
        ? { kind: 'stopping' }
        : unknownBecause(`after the stop: ${last.kind === 'unknown' ? last.message : last.kind}; ${asked}`),
    sleep: settings.sleep,
    pollMs: limits.rayStopPollMs,
  });
}
