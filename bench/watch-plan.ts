/** What the bench of a watch plays: a thousand jobs on one cluster, by arithmetic alone, so that no log is held anywhere. */

import { spendCapability } from '../src/domain/actions/capability.ts';
import type { Engine, FoundJob, JobObservation, LogRead } from '../src/domain/engine.ts';
import { stopStep } from '../src/domain/engine.ts';

export const RUNS = 1_000;
export const BEGIN_MS = Date.parse('2026-11-21T09:00:00.000Z');
const MINUTE_MS = 60_000;
/** How long the bench watches, on its own clock. */
export const PLAYED_MS = 75 * MINUTE_MS;
/** At this time a hundred jobs lose their numbers, as they do where one bad batch is in all of them. */
export const LOST_AT_MS = 20 * MINUTE_MS;
export const LOST = RUNS / 10;
/** At this time fifty of the others run out of memory. */
export const DEAD_AT_MS = 31 * MINUTE_MS;
export const DEAD = RUNS / 20;
/** People stop a run at each of these times. */
export const STOPS_MS = [9, 20, 21, 33, 44, 58].map((minutes) => minutes * MINUTE_MS + 7_000);
export const STOPPED_FROM = RUNS - 10;

const LINE_MS = 10_000;
const LINE_BYTES = 160;

/** A made-up name of a run by its number. */
export function runName(index: number): string {
  return `ferry-daily-20261121-${index + 2}`;
}

/** The number of a job by its id. */
export function indexOf(jobId: string): number {
  return Number(/-(\d+)-a1$/.exec(jobId)?.[1] ?? Number.NaN) - 2;
}

/** The thread of a run. */
export function threadOf(index: number): number {
  return 1_000 + index;
}

/** Line `line` of a job's log, as long as every other one. */
function lineOf(index: number, line: number): string {
  const atMs = line * LINE_MS;
  const step = line * 4;
  const name = 'daily-125m-2026-11-21';
  if (line === 0) return `wandb: View run ${name} at: https://wandb.ai/lab/ferries/runs/${name}`;
  if (line === 6) return 'trainer First train step completed in 55.0s.';
  if (isDead(index) && atMs >= DEAD_AT_MS)
    return 'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm.';
  const isLost = index < LOST && atMs >= LOST_AT_MS;
  if (line % 60 === 59) return `levanter.checkpoint Saved checkpoint to checkpoints/step-${step} for step ${step}`;
  const loss = isLost ? 'nan' : (4 - line / 1_000).toFixed(3);
  return `tqdm Progress on:train ${step}it/5155it rate:0.4it/s remaining:3:00:00 elapsed:00:10:00 postfix:loss=${loss}`;
}

function isDead(index: number): boolean {
  return index >= LOST && index < LOST + DEAD;
}

/** What reached the cluster of the bench. */
export type Reached = {
  /** When a stop reached which job. */
  readonly stopped: Map<number, number>;
  /** When the newest look at which job was. */
  readonly looked: Map<number, number>;
  looks: number;
  lateMaxMs: number;
};

/** Two minutes after the submission, then every 570 s (policy ML-08). */
const FIRST_LOOK_MS = 120_000;
const LOOK_PERIOD_MS = 570_000;

/** The cluster of the bench; `reached` notes stops and looks. */
export function benchEngine(now: () => number, spend: (ms: number) => void, reached: Reached): Engine {
  const { stopped, looked } = reached;
  const seen = (jobId: string): JobObservation => {
    const index = indexOf(jobId);
    const before = looked.get(index);
    const dueMs = before === undefined ? BEGIN_MS + FIRST_LOOK_MS : before + LOOK_PERIOD_MS;
    looked.set(index, now());
    reached.looks += 1;
    reached.lateMaxMs = Math.max(reached.lateMaxMs, now() - dueMs);
    const isOver = isDead(index) && now() - BEGIN_MS >= DEAD_AT_MS + LINE_MS;
    const status = stopped.has(index) ? 'STOPPED' : isOver ? 'FAILED' : 'RUNNING';
    const found: FoundJob = {
      kind: 'found',
      status,
      message: '',
      errorType: status === 'FAILED' ? 'JOB_ENTRYPOINT_COMMAND_ERROR' : null,
      exitCode: status === 'FAILED' ? 1 : null,
      startedAtMs: BEGIN_MS,
      endedAtMs: status === 'RUNNING' ? null : now(),
      metadata: null,
      session: 's1',
      details: {},
    };
    return found;
  };
  return {
    name: 'ray',
    session: async () => ({ kind: 'session', id: 's1', version: 'bench' }),
    submit: async () => ({ kind: 'unknown', message: 'the bench submits nothing' }),
    observe: async (jobId) => {
      spend(REQUEST_MS);
      return seen(jobId);
    },
    observeMany: async (asked) => {
      spend(REQUEST_MS);
      return asked.map(({ jobId }) => seen(jobId));
    },
    describe: async () => ({ kind: 'cannot', why: 'nobody asks' }),
    readLog: async (jobId, offset) => {
      spend(REQUEST_MS);
      return readLog(indexOf(jobId), offset, now(), stopped);
    },
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      spend(REQUEST_MS);
      if (!stopped.has(indexOf(jobId))) stopped.set(indexOf(jobId), now());
      return { kind: 'stopped' };
    },
  };
}

/** One request to a dashboard in the same network. */
const REQUEST_MS = 15;

function readLog(index: number, offset: number, now: number, stopped: ReadonlyMap<number, number>): LogRead {
  const untilMs = Math.min(stopped.get(index) ?? now, isDead(index) ? BEGIN_MS + DEAD_AT_MS + LINE_MS : now, now);
  const lines = Math.floor((untilMs - BEGIN_MS) / LINE_MS) + 1;
  const end = lines * LINE_BYTES;
  if (offset > end) return { kind: 'rewound', sizeBytes: end };
  const first = Math.floor(offset / LINE_BYTES);
  let text = '';
  for (let line = first; line < lines; line += 1) text += `${lineOf(index, line).padEnd(LINE_BYTES - 1)}\n`;
  const bytes = Buffer.from(text).subarray(offset - first * LINE_BYTES);
  return { kind: 'chunk', bytes, offset, nextOffset: offset + bytes.length, atEnd: true };
}
