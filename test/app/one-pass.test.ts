/** A watch with many due runs asks its cluster once. */

import { expect, it } from 'vitest';
import { observeInOnePass } from '../../src/app/watch/tick.ts';
import type { AskedJob, Engine } from '../../src/domain/engine.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

function runOf(day: string): RunState {
  const details = { session: 'session_1' };
  return aRun({ run: `ferry-daily-${day}` })
    .gated()
    .approved(bob)
    .ordered()
    .submitted({ jobId: day, details }).state;
}

const simulated = createSimulatedEngine({
  now: () => 0,
  script: () => {
    throw new Error('nothing is submitted here');
  },
});

it('asks for all due jobs in one call, each with its last session, and assigns the answers to the runs', async () => {
  const passes: (readonly AskedJob[])[] = [];
  const engine: Engine = {
    ...simulated,
    observeMany: async (asked) => {
      passes.push(asked);
      return asked.map(({ jobId }) => ({ kind: 'unknown', message: jobId }));
    },
  };
  const due = ['20261121', '20261122', '20261123'].map(runOf);
  const seen = await observeInOnePass(engine, due);
  expect(passes).toEqual([
    due.map(({ submission }) => expect.objectContaining({ jobId: submission?.jobId, lastSession: 'session_1' })),
  ]);
  for (const { run, submission } of due) expect(seen.get(run)).toEqual({ kind: 'unknown', message: submission?.jobId });
  expect((await observeInOnePass(engine, due.slice(1, 2))).size).toBe(0);
  expect(passes).toHaveLength(1);
});

it('leaves each run to a separate observation when the engine has no list, or there is no engine', async () => {
  const due = ['20261121', '20261122'].map(runOf);
  expect((await observeInOnePass(simulated, due)).size).toBe(0);
  expect((await observeInOnePass(null, due)).size).toBe(0);
});
