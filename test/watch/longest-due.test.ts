/** A turn of the watch looks at so many runs and no more: first at what is to stop, then at what has waited longest. */

import { expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { type Due, longestDue } from '../../src/watch/longest-due.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';

const running = aRun().gated().approved(bob).ordered().submitted();
const stopping = running.stopRequested(alice).state;

/** More than a turn looks at, the newest first. */
const many: readonly Due[] = Array.from({ length: limits.looksPerTurnMax + 3 }, (_, index) => ({
  state: { ...running.state, proposedAt: String(index) },
  at: 10_000 - index,
}));

it('looks at those that have waited longest, and leaves the others for the next turn', () => {
  const looked = longestDue(many);
  expect(looked).toHaveLength(limits.looksPerTurnMax);
  expect(looked[0]?.proposedAt).toBe(String(many.length - 1));
  expect(looked.map(({ proposedAt }) => proposedAt)).not.toContain('0');
});

it('looks at a run that is to stop before all others, however late it became due', () => {
  expect(longestDue([...many, { state: stopping, at: 20_000 }])[0]).toBe(stopping);
});
