/** Two paths that are the same place in different notations, and which run owns which place. */

import { expect, it } from 'vitest';
import { findRootHolder } from '../../src/domain/checkpoint/stored.ts';
import type { IssuedOrder, RunState } from '../../src/domain/logbook/run-state.ts';

// Only the parts of a run that this code uses.
const launched = (run: string, root: string, order: Partial<IssuedOrder> = {}): RunState =>
  ({
    run,
    attempts: [],
    order: { status: 'open', claim: null, manifest: { outputRoot: root, cluster: 'west', resume: {} }, ...order },
  }) as unknown as RunState;

function holder(theirs: RunState, root: string, cluster = 'west', lineage = false): string | null {
  const places = { roots: [root], cluster, shared: [] };
  return findRootHolder([theirs], places, { run: 'mine', lineage: () => lineage })?.run ?? null;
}

// threat T111
it.each([
  ['gs://lab/runs/a', 'gs://lab/runs/a/'],
  ['gs://lab/runs/a', 'gs://lab//runs/a/checkpoints'],
  ['gs://lab/runs/a', 'gs://lab'],
  ['outputs/a', './outputs/b/../a'],
  ['/data/a', 'file:///data/a'],
  ['gs://lab/runs/a', 'GS://lab/runs/a'],
  ['gs://lab/runs/a', 'gcs://lab/runs/a'],
  ['s3://lab/runs/a', 's3a://lab/runs/a'],
  ['gs://lab/runs/a', 'simplecache::gs://lab/runs/a'],
  ['gs://lab/runs/a', 'zip://x::filecache::gcs://lab/runs/a/x.zip'],
  ['/data/a', 'file:/data/a'],
  ['/data/a', 'local:/data/a'],
])('%s and %s are one place', (theirs, root) => {
  expect(holder(launched('a', theirs), root)).toBe('a');
});

it.each([
  ['gs://lab/runs/a', 'gs://lab/runs/ab'],
  ['gs://lab/runs/a', 's3://lab/runs/a'],
  ['outputs/a', '/outputs/a'],
])('%s and %s are two places', (theirs, root) => {
  expect(holder(launched('a', theirs), root)).toBeNull();
});

// threat T110
it('a bucket is shared by all clusters, a folder belongs to its cluster', () => {
  expect(holder(launched('a', 'gs://lab/a'), 'gs://lab/a', 'east')).toBe('a');
  expect(holder(launched('a', 'gs://lab/runs/a'), 'gs://lab/other/..//runs/a', 'east')).toBe('a');
  expect(holder(launched('a', 'hdfs://lab/a'), 'hdfs://lab/a', 'east')).toBe('a');
  expect(holder(launched('a', '/data/a'), '/data/a', 'east')).toBeNull();
  expect(holder(launched('a', 'file:///data/a'), '/data/a', 'east')).toBeNull();
});

it('a run owns the place that a launcher may have started with; its lineage and itself may share it', () => {
  const root = 'gs://lab/a';
  expect(holder(launched('a', root, { status: 'void' }), root)).toBeNull();
  const claim = {} as NonNullable<IssuedOrder['claim']>;
  expect(holder(launched('a', root, { status: 'failed', claim }), root)).toBe('a');
  expect(holder(launched('a', root), root, 'west', true)).toBeNull();
  expect(holder(launched('mine', root), root)).toBeNull();
});

it('the other checkpoint roots of both runs count too, except those that the lane gives to all', () => {
  const elsewhere = launched('a', 'gs://lab/a', {
    manifest: {
      outputRoot: 'gs://lab/a',
      cluster: 'west',
      resume: { roots: ['gs://lab/a', 'gs://tmp/a', 'gs://tmp/all'] },
    } as unknown as IssuedOrder['manifest'],
  });
  const held = (roots: readonly string[], common: readonly string[] = []) =>
    findRootHolder([elsewhere], { roots, cluster: 'west', shared: common }, { run: 'mine', lineage: () => false });
  expect(held(['gs://lab/b', 'gs://lab/a/checkpoints'])).toEqual({
    run: 'a',
    root: 'gs://lab/a',
    requested: 'gs://lab/a/checkpoints',
  });
  expect(held(['gs://tmp/a'])).toMatchObject({ root: 'gs://tmp/a' });
  expect(held(['gs://tmp/all/b'])).toMatchObject({ root: 'gs://tmp/all' });
  expect(held(['gs://tmp/all/b'], ['gs://tmp/all'])).toBeNull();
});

it('a root that the lane gives to all belongs to a run that uses it as output root', () => {
  const places = { roots: ['gs://tmp/all'], cluster: 'west', shared: ['gs://tmp/all'] };
  const found = findRootHolder([launched('a', 'gs://tmp/all')], places, { run: 'mine', lineage: () => false });
  expect(found?.run).toBe('a');
});
