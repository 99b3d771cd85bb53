/** The last look at a job: an end is recorded with the whole log, however long, and waits for one that cannot be read. */

import { expect, it } from 'vitest';
import {
  LAST_LOG_PATIENCE_MS,
  LAST_LOG_READ_MS,
  LOG_CHUNKS_PER_LOOK,
  LOG_READ_MS,
  observeJob,
} from '../../src/app/watch/look.ts';
import type { Engine, JobObservation, JobStatus, LogRead } from '../../src/domain/engine.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { after } from '../../src/domain/time.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

const { state } = aRun().gated().approved(bob).ordered().submitted();

const simulated = createSimulatedEngine({
  now: () => NOON,
  script: () => {
    throw new Error('nothing is submitted here');
  },
});

/** A look at a job that ended `agoMs` before, through a log that is read as `readLog` says. */
function lookAfter(
  agoMs: number,
  readLog: Engine['readLog'],
  change: { readonly now?: () => Instant; readonly status?: JobStatus; readonly seen?: JobObservation } = {},
): ReturnType<typeof observeJob> {
  const { submission } = state;
  if (submission === null) throw new Error('no submission');
  return observeJob({
    lab: { now: change.now ?? (() => NOON) },
    engine: { ...simulated, readLog },
    seen: change.seen ?? {
      kind: 'found',
      status: change.status ?? 'SUCCEEDED',
      message: '',
      errorType: null,
      exitCode: 0,
      startedAtMs: 0,
      endedAtMs: NOON - agoMs,
      metadata: null,
      session: null,
      details: {},
    },
    state,
    submission,
    lease: { holder: 'watch-1', fence: 1, until: '2026-11-21T23:00:00.000Z' },
    cadence: USUAL_CADENCE,
    readMetrics: async () => ({}),
    redact: (text) => text,
  });
}

it('waits for a log that cannot be read, says why, and does not wait for ever', async () => {
  const away = async (): Promise<LogRead> => ({ kind: 'unknown', message: 'the dashboard is away' });
  expect((await lookAfter(60_000, away)).job).toEqual({
    kind: 'unknown',
    message: 'the job is SUCCEEDED, and its log cannot be read: the dashboard is away',
  });
  expect((await lookAfter(LAST_LOG_PATIENCE_MS, away)).job.kind).toBe('found');
});

it('reads to the end of a log that is longer than any other look would read', async () => {
  const line = `${'x'.repeat(999)}\n`;
  const lines = LOG_CHUNKS_PER_LOOK * 3;
  const look = await lookAfter(60_000, async (_jobId, offset) => {
    const nextOffset = offset + line.length;
    return {
      kind: 'chunk',
      bytes: Buffer.from(line),
      offset,
      nextOffset,
      atEnd: nextOffset === lines * line.length,
    };
  });
  expect(look.job.kind).toBe('found');
  expect(look).toMatchObject({ logOffset: lines * line.length, log: { lines } });
});

it('is over in time though the log comes drop by drop: what has come is kept, and an end waits for the rest', async () => {
  for (const [status, timeMs] of [
    ['RUNNING', LOG_READ_MS],
    ['SUCCEEDED', LAST_LOG_READ_MS],
  ] as const) {
    let reads = 0;
    const drips: Engine['readLog'] = async (_jobId, offset) => {
      reads += 1;
      return { kind: 'chunk', bytes: Buffer.from('x\n'), offset, nextOffset: offset + 2, atEnd: false };
    };
    const look = await lookAfter(60_000, drips, { status, now: () => after(NOON, reads * 10_000) });
    expect(reads).toBe(timeMs / 10_000);
    expect(look.logOffset).toBe(2 * reads);
    expect(look.job.kind).toBe(status === 'RUNNING' ? 'found' : 'unknown');
  }
});

it('asks for no log where nobody answers about the job, or there is none: what was read stays', async () => {
  const asked: Engine['readLog'] = async () => {
    throw new Error('asked for the log');
  };
  const silent = await lookAfter(0, asked, { seen: { kind: 'unknown', message: 'no word for 30000 ms' } });
  expect(silent).toMatchObject({ job: { kind: 'unknown' }, logUnread: 'no word for 30000 ms', logOffset: 0 });
  const gone = await lookAfter(0, asked, { seen: { kind: 'absent', session: 'session_2' } });
  expect(gone).toMatchObject({ job: { kind: 'absent' }, logUnread: null });
});
