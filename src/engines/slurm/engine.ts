/** The `slurm` engine: runs jobs on a Slurm cluster through Slurm's commands and a folder that runner and nodes share. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, JobDescription, JobObservation, LiveJob, StopOutcome } from '../../domain/engine.ts';
import { known, type Observed, unknown } from '../../domain/values.ts';
import { errorCode, publishOnce } from '../../host/files.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { describeClaimed, readClaim, readClaimedLog } from '../shared/job-files.ts';
import {
  guardWithCapabilities,
  isSubmissionId,
  stopAndConfirm,
  stoppingOutcome,
  type Unknown,
  unknownOutcome,
} from '../shared/kit.ts';
import {
  askCommand,
  describeFailure,
  readQueue,
  readQueueWith,
  readSlurmSession,
  runCommand,
  type SlurmSettings,
} from './commands.ts';
import type { SlurmCluster } from './definition.ts';
import { deleteEnvironmentFile, jobPaths } from './job-folder.ts';
import { isEndState, toJobStatus } from './job-state.ts';
import { observeQueued, oursAmong } from './observe.ts';
import { submitToSlurm } from './submit.ts';

/** Builds the engine for one cluster of the config. */
export function compose({ environment, now }: EngineHost, cluster: SlurmCluster): ComposedEngine {
  return {
    engine: createSlurmEngine({ cluster, path: environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', now }),
    close: async () => undefined,
  };
}

export type SlurmEngineOptions = { readonly cluster: SlurmCluster; readonly path: string; readonly now: () => number };

/** An engine over the cluster's folder. Any number of engines, in any number of processes, may share it. */
export function createSlurmEngine({ cluster, path, now }: SlurmEngineOptions): Engine {
  const settings: SlurmSettings = {
    cluster,
    // SLURM_TIME_FORMAT: times as seconds since 1970, in every time zone of the machine.
    env: {
      PATH: path,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      SLURM_TIME_FORMAT: '%s',
      ...(cluster.conf === null ? {} : { SLURM_CONF: cluster.conf }),
    },
    uid: process.getuid?.() ?? 0,
    now,
    sleep: (durationMs) => sleep(durationMs),
  };
  return guardWithCapabilities({
    name: 'slurm',
    session: () => readSlurmSession(settings),
    submit: (spec) => errorAsUnknown(() => submitToSlurm(settings, spec)),
    observe: (jobId, lastSession) => errorAsUnknown(() => observeOnSlurm(settings, jobId, lastSession)),
    observeMany: async (asked) => {
      const queue = await readQueue(
        settings,
        asked.flatMap(({ jobId }) => (isSubmissionId(jobId) ? [jobId] : [])),
      );
      return Promise.all(
        asked.map(({ jobId, lastSession }) => errorAsUnknown(() => observeQueued(settings, jobId, lastSession, queue))),
      );
    },
    live: () => listLiveOnSlurm(settings),
    describe: (jobId) => errorAsUnknown(() => describeOnSlurm(settings, jobId)),
    readLog: (jobId, offset) =>
      errorAsUnknown(() => readClaimedLog(cluster.folder, jobId, jobPaths(cluster.folder, jobId), offset)),
    stop: (jobId) => errorAsUnknown(() => stopOnSlurm(settings, jobId)),
  });
}

/** If the shared folder does not answer, the job's state is unknown. */
async function errorAsUnknown<Answer>(call: () => Promise<Answer>): Promise<Answer | Unknown> {
  try {
    return await call();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return unknownOutcome(String(error));
  }
}

async function describeOnSlurm(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: null };
  const { folder } = settings.cluster;
  if ((await readClaim(folder, jobId)).kind === 'missing') return describeForeignJob(settings, jobId);
  const seen = await observeOnSlurm(settings, jobId, null);
  return seen.kind === 'found' ? describeClaimed(folder, jobId, seen) : seen;
}

/** A job that a person submitted with `sbatch`, by its number or its name. */
async function describeForeignJob(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  const which = /^\d+$/.test(jobId) ? `--jobs=${jobId}` : `--name=${jobId}`;
  const said = await askCommand(settings, 'squeue', ['--noheader', '--states=all', which, '--Format=JobID:|']);
  // For an unknown number Slurm reports an error; for an unknown name it prints nothing.
  if (said.kind === 'unknown') return /Invalid job id/i.test(said.message) ? { kind: 'absent', session: null } : said;
  return said.text.trim() === ''
    ? { kind: 'absent', session: null }
    : {
        kind: 'cannot',
        why: `Slurm has it, but it was not submitted through ${settings.cluster.folder}: where its log is and how it ends cannot be read here`,
      };
}

/** Lists our jobs by their submission names and other jobs by their numbers, without their commands. */
async function listLiveOnSlurm(settings: SlurmSettings): Promise<Observed<readonly LiveJob[]>> {
  const queue = await readQueueWith(settings, []);
  if (queue.kind === 'unknown') return unknown(queue.message);
  return known(
    queue.jobs.flatMap(({ slurmJobId, name, state, startedAtMs, metadata }) => {
      // A job that is already ending is not live.
      const status = isEndState(state) || state === 'COMPLETING' ? null : toJobStatus(state);
      const jobId = metadata === null ? slurmJobId : name;
      return status === null ? [] : [{ jobId, status, startedAtMs, metadata, about: name }];
    }),
  );
}

/** Pause between two checks of a job that should end. Each check is a call of squeue, which the controller answers. */
const POLL_MS = 1_000;

/**
 * Writes the request first, and takes the right to start if no job has it: then a job that waits or arrives late never
 * starts. `scancel` gets only the ids of our jobs; a name would also match a person's job.
 */
function stopOnSlurm(settings: SlurmSettings, jobId: string): Promise<StopOutcome> {
  return stopAndConfirm({
    observe: () => observeOnSlurm(settings, jobId, null),
    ask: async () => {
      const paths = jobPaths(settings.cluster.folder, jobId);
      const claim = await readClaim(settings.cluster.folder, jobId);
      if (claim.kind !== 'there') return unknownOutcome(`the claim of ${paths.folder} is ${claim.kind}`);
      await publishOnce(paths.stop, JSON.stringify({ requestedAtMs: settings.now() }));
      if (await publishOnce(paths.owner, 'stopped\n')) await deleteEnvironmentFile(paths);
      const queue = await readQueue(settings, [jobId]);
      if (queue.kind === 'unknown') return queue;
      const living = oursAmong(queue.jobs, claim.value.metadata).filter(({ state }) => !isEndState(state));
      if (living.length === 0) return '';
      const result = await runCommand(
        settings,
        'scancel',
        living.map(({ slurmJobId }) => slurmJobId),
      );
      return result.ok ? '' : describeFailure('scancel', result);
    },
    giveUp: (_last, complaint) => stoppingOutcome(complaint, 'Slurm was asked to end the job, and has not yet'),
    sleep: settings.sleep,
    pollMs: POLL_MS,
  });
}

/** Observes one job. */
async function observeOnSlurm(
  settings: SlurmSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: lastSession };
  return observeQueued(settings, jobId, lastSession, await readQueue(settings, [jobId]));
}
