/** The `vast` engine: each job on a machine of its own that is rented for it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { spendCapability } from '../../domain/actions/capability.ts';
import { CANNOT_DESCRIBE, type Engine, stopStep, submitStep } from '../../domain/engine.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { observeOnVast } from './observe.ts';
import { readLogOnVast } from './read-log.ts';
import { rentedOnVast } from './rented.ts';
import type { VastCluster } from './schema.ts';
import { readVastSession } from './session.ts';
import type { VastSettings } from './settings.ts';
import { stopOnVast } from './stop.ts';
import { submitOnVast } from './submit.ts';

/** The engine of a cluster of the config. */
export function compose({ environment, now }: EngineHost, cluster: VastCluster): ComposedEngine {
  const key = environment[cluster.keyFrom] || null;
  return { engine: createVastEngine({ cluster, key, now }), close: async () => undefined };
}

export type VastEngineOptions = Pick<VastSettings, 'cluster' | 'key' | 'now'> &
  Partial<Pick<VastSettings, 'sleep' | 'fetch'>>;

/** The options with what they leave out. */
export function vastSettings(options: VastEngineOptions): VastSettings {
  return { sleep: (durationMs) => sleep(durationMs), fetch: globalThis.fetch, ...options };
}

/** An engine over one account; all that it knows is there. */
export function createVastEngine(options: VastEngineOptions): Engine {
  const settings = vastSettings(options);
  return {
    name: 'vast',
    session: async () => {
      const session = await readVastSession(settings);
      return session.kind === 'unknown'
        ? { kind: 'unknown', message: session.message }
        : { kind: 'session', id: session.id, version: session.version };
    },
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return submitOnVast(settings, spec);
    },
    observe: (jobId, lastSession) => observeOnVast(settings, jobId, lastSession),
    rented: rentedOnVast(settings),
    describe: async () => CANNOT_DESCRIBE,
    readLog: (jobId, offset) => readLogOnVast(settings, jobId, offset),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return stopOnVast(settings, jobId);
    },
  };
}
