/** Which jobs of a cluster's list are told of beside a run. */

import { expect, it } from 'vitest';
import { besideOf } from '../../src/watch/beside.ts';
import { aRun } from '../support/run-builder.ts';

const { state } = aRun({ run: 'grug-ep8' });
const named = (jobId: string) =>
  ({ jobId, status: 'RUNNING', startedAtMs: null, metadata: null, about: jobId }) as const;

it('are those that name it, and an attempt of it that should be over, by its name where a list shows no more', () => {
  const live = ['/bob/diag-grug-ep8', 'ferrybot-grug-ep8-a1', 'grug-ep80'].map(named);
  expect(besideOf(state, live).map(({ jobId }) => jobId)).toEqual([
    '/bob/diag-grug-ep8',
    'ferrybot-grug-ep8-a1',
  ]);
});

it('are none of another run of ours whose name has its own in it', () => {
  expect(besideOf(state, [named('ferrybot-sweep-grug-ep8-a1'), named('ferrybot-grug-ep8-long-a2')])).toEqual(
    [],
  );
});
