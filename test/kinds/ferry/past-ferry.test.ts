import { expect, it } from 'vitest';
import { pastFerry } from '../../../src/kinds/ferry/plan/choose-change.ts';
import { aRun } from '../../support/run-builder.ts';
import { aManifest } from '../../support/run-parts.ts';

it('remembers of a ferry what was new in it, and not what ran in the pass before', () => {
  const { delta } = aManifest();
  const [rate] = delta;
  if (rate === undefined) throw new Error('the sample changed');
  const warmup = { ...rate, knob: 'warmup', path: 'train.SimpleTrainConfig().warmup' };
  const base = { run: 'ferry-daily-20261120', commit: 'a'.repeat(40), changes: [warmup], notTaken: [] };
  const manifest = aManifest({ delta: [rate, warmup], base });
  expect(pastFerry(aRun().gated({ manifest }).state).changes).toEqual([warmup]);
  expect(pastFerry(aRun().gated({ manifest: aManifest() }).state).changes).toEqual(delta);
});
