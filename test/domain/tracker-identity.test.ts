/** Under which identity a run reports, and which other run of the record has it. */

import { expect, it } from 'vitest';
import type { IssuedOrder, RunState } from '../../src/domain/logbook/run-state.ts';
import { trackerHolder } from '../../src/run/held-elsewhere.ts';

const TRACKER = { kind: 'wandb', entity: 'lab', project: 'hero', runId: 'grug-1e23' };

// Of a run only what is looked at here.
const launched = (tracker: typeof TRACKER, order: Partial<IssuedOrder> = {}): RunState =>
  ({
    run: 'theirs',
    attempts: [],
    order: { status: 'open', claim: null, manifest: { tracker }, ...order },
  }) as unknown as RunState;
const holder = (theirs: RunState, run = 'mine', isLineage = false): string | null =>
  trackerHolder([theirs], TRACKER, { run, lineage: () => isLineage });

it('is one where id, project and entity are the same, and the run was launched or may be in a moment', () => {
  expect(holder(launched(TRACKER))).toBe('theirs');
  expect(holder(launched({ ...TRACKER, runId: 'grug-1e22' }))).toBeNull();
  expect(holder(launched({ ...TRACKER, project: 'other' }))).toBeNull();
  expect(holder(launched({ ...TRACKER, entity: 'other' }))).toBeNull();
});

it('is shared by a lineage, is nobody’s of an order that never began, and is its own of a run', () => {
  expect(holder(launched(TRACKER), 'mine', true)).toBeNull();
  expect(holder(launched(TRACKER), 'theirs')).toBeNull();
  expect(holder(launched(TRACKER, { status: 'void' }))).toBeNull();
});
