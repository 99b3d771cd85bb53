/**
 * The facts of a log do not depend on the times of observation: the next observation continues an unfinished
 * one, also in another process.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observeJob } from '../../src/app/watch/poll-job.ts';
import type { JobStatus, LogRead } from '../../src/domain/engine.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { limits } from '../../src/domain/limits.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { foundJob } from '../support/look.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

const HEAD = 'ray.exceptions.RayTaskError(RuntimeError): ray::train() (pid=1, ip=10.0.0.9, actor_id=ab)';
const BUSY = 'RuntimeError: open(/dev/accel0): Device or resource busy';
const LOG = Buffer.from(
  [
    'Progress on:eval 1.00it/4.00it rate:1.00it/s remaining:00:03 elapsed:00:01',
    `overlong ${'x'.repeat(limits.logLineCharsMax + 5_000)} ${BUSY}`,
    'fünf 🚢',
    HEAD,
    ...Array.from({ length: 20 }, (_, index) => `  File "train.py", line ${index}, in train`),
    BUSY,
    'Progress on:eval 4.00it/4.00it rate:1.00it/s remaining:00:00 elapsed:00:04',
    'ValueError: no end of line',
  ].join('\n'),
);
const engine = createSimulatedEngine({
  now: () => NOON,
  script: () => {
    throw new Error('nothing is submitted here');
  },
});

/**
 * Observes each time the log has grown to one of `sizes`; at the last one the job has failed. Only the
 * record is kept.
 */
async function lookedAt(sizes: readonly number[], log = LOG, end: JobStatus = 'FAILED'): Promise<RunBuilder> {
  let run = aRun().gated().approved(bob).ordered().submitted();
  for (const [index, size] of [...sizes, log.length].entries()) {
    const status: JobStatus = index === sizes.length ? end : 'RUNNING';
    const { state } = run;
    if (state.submission === null) throw new Error('no submission');
    const look = await observeJob({
      lab: { now: () => NOON },
      engine: { ...engine, readLog: async (_jobId, offset) => chunkOf(log, size, offset) },
      listedJob: foundJob(status, { endedAtMs: NOON }),
      state,
      submission: { ...state.submission, details: { workingDirectory: '/srv/job' } },
      lease: { holder: 'watch-1', fence: 1, until: '2026-11-21T23:00:00.000Z' },
      cadence: USUAL_CADENCE,
      readMetrics: async () => ({}),
      redact: (text) => text,
    });
    run = run.add(...buildEvents(state, look));
  }
  return run;
}

/** Rounds down to whole characters, as every engine promises. */
function chunkOf(log: Buffer, size: number, offset: number): LogRead {
  let end = size;
  while (((log[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const bytes = log.subarray(offset, Math.max(offset, end));
  return { kind: 'chunk', bytes, offset, nextOffset: offset + bytes.length, atEnd: true };
}

describe('a log that grows between observations', () => {
  it('gives its evals as the metrics of a job that left no file in its folder', async () => {
    const log = Buffer.from(
      'iter 10: loss 2.1000, time 5.00ms, mfu 1.00%\nstep 10: train loss 2.0711, val loss 2.1251\n',
    );
    expect((await lookedAt([], log, 'SUCCEEDED')).state.end?.metrics).toEqual({ 'eval/loss': '2.1251' });
  });

  it('keeps the address of a bad node when its traceback was split', async () => {
    const { state } = await lookedAt([LOG.indexOf(HEAD) + HEAD.length + 30]);
    expect(
      filterIncidents(state.incidents, 'failure-signature').map(({ detail }) => [detail.signature, detail.workers]),
    ).toEqual([['device-busy', '10.0.0.9']]);
  });

  it('yields the same incidents and end, for any cuts', async () => {
    const whole = (await lookedAt([])).state;
    const told = (state: typeof whole): unknown => [
      filterIncidents(state.incidents, 'failure-signature').map(({ code, detail }) => [code, detail]),
      state.end?.signatures,
      state.end?.metrics,
    ];
    expect(whole.incidents).not.toEqual([]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: LOG.length }), { maxLength: 6 }), async (sizes) => {
        const { state } = await lookedAt(sizes.toSorted((a, b) => a - b));
        expect(told(state)).toEqual(told(whole));
      }),
      { numRuns: 60 },
    );
  });

  it('drops a worker address that is too many lines above the error', async () => {
    const far = `${HEAD}\n${'a line\n'.repeat(limits.tracebackLinesMax)}`;
    const log = Buffer.from(`${far}${BUSY}\n`);
    for (const size of [HEAD.length + 1, far.length - 700, far.length]) {
      const { state } = await lookedAt([size], log);
      expect(filterIncidents(state.incidents, 'failure-signature').map(({ detail }) => detail.workers)).toEqual(['']);
    }
    const near = Buffer.from(`${far.slice(0, -'a line\n'.length)}${BUSY}\n`);
    const { state } = await lookedAt([HEAD.length + 1, 300], near);
    expect(filterIncidents(state.incidents, 'failure-signature').map(({ detail }) => detail.workers)).toEqual([
      '10.0.0.9',
    ]);
  });
});

describe('a job that succeeds', () => {
  const steps = Array.from({ length: 30 }, (_, index) => `step ${index + 1} loss 2.5`);
  const ended = async (...lines: readonly string[]) => {
    const run = await lookedAt([200], Buffer.from(`${[...steps, ...lines].join('\n')}\n`), 'SUCCEEDED');
    return run.state;
  };
  const traceback = [
    'Traceback (most recent call last):',
    '  File "/app/train.py", line 30, in <module>',
    '    save(model)',
    'OSError: [Errno 28] No space left on device',
    'Step failed',
  ];

  it('keeps the failure at the end of its log', async () => {
    const { end } = await ended(...traceback);
    expect(end?.diagnosis).toMatchObject({ class: 'storage' });
  });

  it('has no failure if training went on after it, or none happened', async () => {
    expect((await ended()).end?.diagnosis).toBeUndefined();
    const later = steps.map((line) => line.replace('step ', 'step 1'));
    expect((await ended(...traceback, ...later)).end?.diagnosis).toBeUndefined();
  });

  it('counts the preemptions that it survived', async () => {
    const { observation } = await ended('The instance was preempted at 12:01', 'step 30 loss 2.5', 'step 31 loss 2.4');
    expect(observation?.course?.preemptions).toBe(1);
  });

  it('is no empty success with a checkpoint and an evaluation in its log', async () => {
    const saved = ['Saved checkpoint to gs://lab/x for step 40', 'eval/loss: 2.3'];
    const log = Buffer.from(`${saved.join('\n')}\n`);
    const told = filterIncidents((await lookedAt([], log, 'SUCCEEDED')).state.incidents, 'run-alarm');
    expect(told.filter(({ detail }) => detail.detector === 'green-no-op' && detail.seen.includes('steps'))).toEqual([]);
  });
});
