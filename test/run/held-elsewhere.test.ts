/** The folder that a lane gives to the checkpoints of all its runs is nobody's own, but of the run that has it as its output root. */

import { expect, it } from 'vitest';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { known } from '../../src/domain/observed.ts';
import { heldElsewhere } from '../../src/run/held-elsewhere.ts';

// Of a manifest and of a run only what is looked at here.
const manifestOf = (outputRoot: string, roots: readonly string[]): Manifest =>
  ({ command: [], outputRoot, cluster: 'west', resume: { roots }, tracker: {} }) as unknown as Manifest;
const launched = (outputRoot: string): RunState =>
  ({
    run: 'a',
    attempts: [],
    proposal: { issue: 1 },
    order: { status: 'open', claim: null, manifest: manifestOf(outputRoot, [outputRoot, 'gs://tmp/all']) },
  }) as unknown as RunState;

function heldBy(theirs: string, mine: string, template: string) {
  const asking = {
    run: 'mine',
    proposal: { issue: 2 },
    plan: { from: null, roots: [mine, 'gs://tmp/all'], named: [] },
    searchedRoots: [],
    recordedRuns: known([launched(theirs)]),
    config: { lane: { checkpointRoots: [template] } },
  };
  return heldElsewhere(asking, known(manifestOf(mine, [])));
}

it.each([
  ['gs://lab/a', 'gs://tmp/all/b', 'gs://tmp/all', null],
  ['gs://lab/a', 'gs://tmp/all/b', 'gs://tmp/all/', null],
  ['gs://tmp/all', 'gs://tmp/all/b', 'gs://tmp/all', 'gs://tmp/all'],
  ['gs://lab/a', 'gs://tmp/all/', 'gs://tmp/all', 'gs://tmp/all'],
])(
  'of a run that writes to %s, by one that would write to %s, where the lane says %s: %s',
  (a, b, lane, held) => {
    const { rootHolder } = heldBy(a, b, lane);
    expect(rootHolder.kind === 'known' && (rootHolder.value?.root ?? null)).toBe(held);
  },
);

it('is looked into where it is the run’s output root', () => {
  expect(heldBy('gs://lab/a', 'gs://tmp/all', 'gs://tmp/all').rootContents?.kind).toBe('unknown');
});
