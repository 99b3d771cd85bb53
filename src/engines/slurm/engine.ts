/** The `slurm` engine: jobs of a Slurm cluster, through the commands of Slurm and a folder that runner and nodes share. */

import { setTimeout as sleep } from 'node:timers/promises';
import { spendCapability } from '../../domain/actions/capability.ts';
import {
  described,
  type Engine,
  type JobDescription,
  type LiveJob,
  stopStep,
  submitStep,
} from '../../domain/engine.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { codeOf, readTextIfThere } from '../../host/publish-once.ts';
import { redact } from '../../host/redactor.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { isSubmissionId, ownerOfFile } from '../file-records.ts';
import { shellLineOf, withinLine } from '../shell-line.ts';
import { askCommand } from './commands.ts';
import { jobPaths, readClaim } from './job-folder.ts';
import { observeOnSlurm, observeQueued } from './observe.ts';
import { readQueue, readQueueOf } from './queue.ts';
import { readLogOnSlurm } from './read-log.ts';
import type { SlurmCluster } from './schema.ts';
import { readSlurmSession } from './session.ts';
import type { SlurmSettings } from './settings.ts';
import { stopOnSlurm } from './stop.ts';
import { submitToSlurm } from './submit.ts';

/** What has begun to end is not told of: it goes by itself. */
const LIVE: Readonly<Record<string, LiveJob['status']>> = {
  PENDING: 'PENDING',
  CONFIGURING: 'PENDING',
  RUNNING: 'RUNNING',
  SUSPENDED: 'RUNNING',
};

/** The engine of a cluster of the config. */
export function compose({ environment, now }: EngineHost, cluster: SlurmCluster): ComposedEngine {
  return {
    engine: createSlurmEngine({ cluster, path: environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', now }),
    close: async () => undefined,
  };
}

export type SlurmEngineOptions = {
  readonly cluster: SlurmCluster;
  readonly path: string;
  readonly now: () => number;
};

/** An engine over the cluster's folder; any number of them, in any number of processes, may share it. */
export function createSlurmEngine({ cluster, path, now }: SlurmEngineOptions): Engine {
  const settings: SlurmSettings = {
    cluster,
    // SLURM_TIME_FORMAT: times as seconds since 1970, whatever the machine's zone is.
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
  return {
    name: 'slurm',
    session: async () => {
      const session = await readSlurmSession(settings);
      return session.kind === 'unknown'
        ? session
        : { kind: 'session', id: session.id, version: session.version };
    },
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return orUnknown(() => submitToSlurm(settings, spec));
    },
    observe: (jobId, lastSession) => orUnknown(() => observeOnSlurm(settings, jobId, lastSession)),
    observeMany: async (asked) => {
      const queue = await readQueue(
        settings,
        asked.flatMap(({ jobId }) => (isSubmissionId(jobId) ? [jobId] : [])),
      );
      return Promise.all(
        asked.map(({ jobId, lastSession }) =>
          orUnknown(() => observeQueued(settings, jobId, lastSession, queue)),
        ),
      );
    },
    live: () => liveOnSlurm(settings),
    describe: (jobId) => orUnknown(() => describeOnSlurm(settings, jobId)),
    readLog: (jobId, offset) => orUnknown(() => readLogOnSlurm(settings, jobId, offset)),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return orUnknown(() => stopOnSlurm(settings, jobId));
    },
  };
}

/** A shared folder that does not answer says nothing about a job. */
async function orUnknown<Answer>(
  call: () => Promise<Answer>,
): Promise<Answer | { readonly kind: 'unknown'; readonly message: string }> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { kind: 'unknown', message: String(error) };
  }
}

/** Looks once. */
async function describeOnSlurm(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: null };
  const paths = jobPaths(settings.cluster.folder, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return foreign(settings, jobId);
  const seen = await observeOnSlurm(settings, jobId, null);
  if (claim.kind === 'unreadable' || seen.kind !== 'found')
    return seen.kind === 'found'
      ? { kind: 'unknown', message: 'the record of the job cannot be read' }
      : seen;
  const command = (await readTextIfThere(paths.command))?.split('\0').slice(0, -1) ?? [];
  const line = command.length === 0 ? null : shellLineOf(command);
  return described(seen, {
    submitter: await ownerOfFile(paths.claim),
    entrypoint: withinLine(redact(line ?? '', [])),
    gitCommit: claim.value.gitCommit ?? null,
  });
}

/** By its number or its name: a person's own `sbatch`. */
async function foreign(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  const which = /^\d+$/.test(jobId) ? `--jobs=${jobId}` : `--name=${jobId}`;
  const said = await askCommand(settings, 'squeue', [
    '--noheader',
    '--states=all',
    which,
    '--Format=JobID:|',
  ]);
  // Slurm complains about a number that it does not have, and is silent about a name.
  if (said.kind === 'unknown')
    return /Invalid job id/i.test(said.message) ? { kind: 'absent', session: null } : said;
  return said.text.trim() === ''
    ? { kind: 'absent', session: null }
    : {
        kind: 'cannot',
        why: `Slurm has it, but it was not submitted through ${settings.cluster.folder}: where its log is and how it ends cannot be read here`,
      };
}

/** Ours by the names under which they were submitted, others by their numbers: no command is listed. */
async function liveOnSlurm(settings: SlurmSettings): Promise<Observed<readonly LiveJob[]>> {
  const queue = await readQueueOf(settings, []);
  if (queue.kind === 'unknown') return unknown(queue.message);
  return known(
    queue.jobs.flatMap(({ slurmJobId, name, state, startedAtMs, metadata }) => {
      const status = LIVE[state];
      const jobId = metadata === null ? slurmJobId : name;
      return status === undefined ? [] : [{ jobId, status, startedAtMs, metadata, about: name }];
    }),
  );
}
