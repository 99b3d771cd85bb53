/** What a launcher asks the cluster about the jobs before its own. */

import { expect, it } from 'vitest';
import { findEarlierJobFault } from '../../src/actions/earlier-jobs.ts';
import type { Engine, JobObservation } from '../../src/domain/engine.ts';
import { addMs } from '../../src/domain/values.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { instant } from '../support/run-facts.ts';

const launched = aRun({ run: 'ferry-daily-20261120' }).gated().shown().approved(bob).ordered().submitted();
const closed = launched.add({
  type: 'closed',
  role: 'control',
  actor: bob,
  data: { outcome: 'lost', reason: 'its node is gone', closurePull: null },
});
const next = aRun().state;
const cluster = launched.state.submission?.cluster ?? '';

/** The engine repeats its last answer. */
function judged(
  run: typeof launched,
  ...answers: readonly [JobObservation, ...JobObservation[]]
): ReturnType<typeof findEarlierJobFault> {
  let [now, asked] = [instant('2026-11-20T12:00:00Z'), -1];
  const observe = async () => {
    asked += 1;
    return answers[Math.min(asked, answers.length - 1)];
  };
  const sleep = async (durationMs: number) => {
    now = addMs(now, durationMs);
  };
  // Only the parts of an engine that this code uses.
  const engine = { observe } as unknown as Engine;
  return findEarlierJobFault(next, [run.state], { cluster, engine, clock: { now: () => now, sleep } });
}

const unknown = { kind: 'unknown', message: 'nothing says how it ended' } as const;
const running: JobObservation = {
  kind: 'found',
  status: 'RUNNING',
  message: '',
  errorType: null,
  exitCode: null,
  startedAtMs: null,
  endedAtMs: null,
  metadata: null,
  session: null,
  details: {},
};

it('a job with an unknown state blocks the lane until a person has given it up', async () => {
  expect(await judged(launched, unknown)).toMatchObject({ code: 'unreadable', effect: 'standing' });
  expect(await judged(closed, unknown)).toBeNull();
});

it('a job that was given up but is still running blocks the lane', async () => {
  expect(await judged(closed, running)).toMatchObject({ code: 'attempt-live' });
});

it('a job whose machine is being destroyed is awaited for a moment', async () => {
  expect(await judged(closed, running, running, { kind: 'absent', session: null })).toBeNull();
});
