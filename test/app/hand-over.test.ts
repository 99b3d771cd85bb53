/** The end of a shift of many runs: every lease is given back, of so many at a time as a turn looks at. */

import { expect, it } from 'vitest';
import type { Opening } from '../../src/app/open-lab.ts';
import { handOver } from '../../src/app/watch/hand-over.ts';
import type { WatchInput } from '../../src/app/watch/watch-input.ts';
import { branded, isInstant } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import type { EventDraft } from '../../src/domain/logbook/event.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const looked = aRun().gated().approved(bob).ordered().submitted().observed();

type Given = { readonly run: string; readonly drafts: readonly EventDraft[] };

/** A shift over so many runs; the first of its pushes loses a race. */
async function handedOver(count: number) {
  const pushes: (readonly Given[])[] = [];
  const saved: number[] = [];
  const runs = Array.from({ length: count }, (_, index) => ({ ...looked.state, run: `run-${index}` }));
  const opening = {
    kind: 'open',
    open: {
      lab: { now: () => branded(Date.parse('2026-11-21T12:00:00.000Z'), isInstant), log: () => undefined },
      store: {
        current: () => ({ runs, broken: [] }),
        appendTogether: async (given: readonly Given[]) => {
          pushes.push(given);
          return { kind: pushes.length === 1 ? 'conflict' : 'appended' };
        },
      },
    },
  } as unknown as Opening; // an edge of trust: a part stands for the whole
  const holder = looked.state.observation?.lease.holder ?? '';
  const saveMemory = () => saved.push(pushes.length);
  const troubles = await handOver({ open: async () => opening }, {
    holder,
    saveMemory,
  } as never as WatchInput);
  return { pushes, saved, troubles };
}

it('is told in pieces, each of which is let go of before the next, also where one was lost to somebody', async () => {
  const count = 2 * limits.looksPerTurnMax + 1;
  const { pushes, saved, troubles } = await handedOver(count);
  expect(troubles).toEqual([]);
  expect(pushes.map((given) => given.length)).toEqual([limits.looksPerTurnMax, limits.looksPerTurnMax, 1]);
  expect(saved).toEqual([0, 1, 2]);
  expect(new Set(pushes.flat().map(({ run }) => run)).size).toBe(count);
  expect(pushes.flat().every(({ drafts }) => drafts.length === 1 && drafts[0]?.type === 'observed')).toBe(
    true,
  );
});

it('pushes nothing where nothing is watched', async () => {
  expect((await handedOver(0)).pushes).toEqual([]);
});
