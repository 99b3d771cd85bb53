/** The `vast` engine: rents a separate machine for each job. */

import { setTimeout as sleep } from 'node:timers/promises';
import { CANNOT_DESCRIBE, type Engine, type LogRead } from '../../domain/engine.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { buildChunk } from '../shared/job-files.ts';
import { guardWithCapabilities, unknownOutcome } from '../shared/kit.ts';
import { createVastAccount, listInstancesOfJob } from './account.ts';
import type { VastCluster } from './definition.ts';
import { type LogTail, readLines, readTail } from './log.ts';
import { observeOnVast, stopOnVast } from './observe.ts';
import { readVastSession, VAST, type VastSettings } from './request.ts';
import { submitOnVast } from './submit.ts';

/** Builds the engine for one cluster of the config. */
export function compose({ environment, now }: EngineHost, cluster: VastCluster): ComposedEngine {
  const key = environment[cluster.keyFrom] || null;
  return { engine: createVastEngine({ cluster, key, now }), close: async () => undefined };
}

export type VastEngineOptions = Pick<VastSettings, 'cluster' | 'key' | 'now'> &
  Partial<Pick<VastSettings, 'sleep' | 'fetch'>>;

/** The options with their defaults filled in. */
export function vastSettings(options: VastEngineOptions): VastSettings {
  return { sleep: (durationMs) => sleep(durationMs), fetch: globalThis.fetch, ...options };
}

/** An engine over one account. It has no local state. */
export function createVastEngine(options: VastEngineOptions): Engine {
  const settings = vastSettings(options);
  return guardWithCapabilities({
    name: 'vast',
    session: () => readVastSession(settings),
    submit: (spec) => submitOnVast(settings, spec),
    observe: (jobId, lastSession) => observeOnVast(settings, jobId, lastSession),
    rented: createVastAccount(settings),
    describe: async () => CANNOT_DESCRIBE,
    readLog: (jobId, offset) => readLogOnVast(settings, jobId, offset),
    stop: (jobId) => stopOnVast(settings, jobId),
  });
}

/** Requests as many lines as needed to reach back to the offset. */
async function readLogOnVast(settings: VastSettings, jobId: string, offset: number): Promise<LogRead> {
  const found = await listInstancesOfJob(settings, jobId);
  if (found.kind === 'unknown') return unknownOutcome(found.message);
  const [instance] = found.value;
  if (instance === undefined) return { kind: 'absent' };
  for (const count of VAST.logLines) {
    const read = await readLines(settings, instance.id, count);
    if (read.kind === 'unknown') return unknownOutcome(read.message);
    const tail = readTail(read.value, jobId);
    // A container that has not started has no log.
    if (read.value === '') return cutLog({ ...tail, at: 0 }, offset);
    if (tail.at !== null && tail.at <= offset) return cutLog(tail, offset);
  }
  return unknownOutcome(`the last ${VAST.logLines.at(-1)} lines of the log do not reach back to byte ${offset}`);
}

function cutLog({ text, at }: LogTail, offset: number): LogRead {
  const begin = at ?? 0;
  const sizeBytes = begin + text.length;
  if (offset > sizeBytes) return { kind: 'rewound', sizeBytes };
  return buildChunk(Buffer.from(text, 'latin1').subarray(offset - begin), offset, true);
}
