/** The `slurm` engine: jobs of a Slurm cluster, through the commands of Slurm and a folder that runner and nodes share. */

import { setTimeout as sleep } from 'node:timers/promises';
import { spendCapability } from '../../domain/actions/capability.ts';
import { type Engine, stopStep, submitStep } from '../../domain/engine.ts';
import { codeOf } from '../../host/publish-once.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { isSubmissionId } from '../file-records.ts';
import { describeOnSlurm } from './describe.ts';
import { observeOnSlurm, observeQueued } from './observe.ts';
import { readQueue } from './queue.ts';
import { readLogOnSlurm } from './read-log.ts';
import type { SlurmCluster } from './schema.ts';
import { readSlurmSession } from './session.ts';
import type { SlurmSettings } from './settings.ts';
import { stopOnSlurm } from './stop.ts';
import { submitToSlurm } from './submit.ts';

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
