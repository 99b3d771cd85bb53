/** The `vast` engine: each job on a machine of its own that is rented for it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { spendCapability } from '../../domain/actions/capability.ts';
import { CANNOT_DESCRIBE, type Engine, type LogRead, stopStep, submitStep } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { completeUtf8Length } from '../../host/utf8-boundary.ts';
import { utf8Only } from '../../host/utf8-only.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { isSubmissionId } from '../shared/job-files.ts';
import { instancesOf, rentedOnVast } from './account.ts';
import { readVastSession, VAST, type VastSettings } from './ask.ts';
import type { VastCluster } from './definition.ts';
import { type LogTail, readLines, readTail } from './log.ts';
import { observeOnVast, stopOnVast } from './observe.ts';
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

/** As many lines are asked for as reach back to the offset. */
async function readLogOnVast(settings: VastSettings, jobId: string, offset: number): Promise<LogRead> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const found = await instancesOf(settings, jobId);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.message };
  const [instance] = found.value;
  if (instance === undefined) return { kind: 'absent' };
  for (const count of VAST.logLines) {
    const read = await readLines(settings, instance.id, count);
    if (read.kind === 'unknown') return { kind: 'unknown', message: read.message };
    const tail = readTail(read.value, jobId);
    // A container that has not begun has no log.
    if (read.value === '') return cut({ ...tail, at: 0 }, offset);
    if (tail.at !== null && tail.at <= offset) return cut(tail, offset);
  }
  return {
    kind: 'unknown',
    message: `the last ${VAST.logLines.at(-1)} lines of the log do not reach back to byte ${offset}`,
  };
}

function cut({ text, at }: LogTail, offset: number): LogRead {
  const begin = at ?? 0;
  const sizeBytes = begin + text.length;
  if (offset > sizeBytes) return { kind: 'rewound', sizeBytes };
  const all = Buffer.from(text, 'latin1').subarray(offset - begin);
  const some = all.subarray(0, limits.logChunkBytesMax);
  const bytes = some.subarray(0, completeUtf8Length(some));
  return {
    kind: 'chunk',
    bytes: utf8Only(bytes),
    offset,
    nextOffset: offset + bytes.length,
    atEnd: some.length === all.length,
  };
}
