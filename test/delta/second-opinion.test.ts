/**
 * No code is hidden from the delta: CPython's tree of the shipped bytes, without the shown values, is the
 * same on both sides.
 */

import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { diffConfigs } from '../../src/delta/config-delta.ts';
import { readExperiments } from '../support/read-experiments.ts';
import { mutatedPairs } from './mutated-experiments.ts';

const PAIRS = 2_400;

it('never reports only knobs if an independent parser finds other code changes', async () => {
  const pairs = mutatedPairs(20261128, PAIRS);
  const readings = await readExperiments(pairs.flatMap(({ base, head }) => [base, head]));
  const judged = pairs.flatMap((pair, at) => {
    const [base, head] = [readings[2 * at], readings[2 * at + 1]];
    if (base === undefined || head === undefined) throw new Error('every file was read');
    const delta = diffConfigs(base, head);
    if (delta.kind === 'structural' || delta.kind === 'unparsable') return [];
    const rows = delta.kind === 'none' ? [] : delta.changes;
    const changes = rows.map(({ before, after, path, line }) => [before, after, path, line]);
    return [{ pair, changes, input: [pair.base.toString('base64'), pair.head.toString('base64'), changes] }];
  });
  const { stdout } = await execa('python3', [join(import.meta.dirname, '../support/ast-delta.py')], {
    input: JSON.stringify(judged.map(({ input }) => input)),
  });
  const opinions = z.array(z.string().nullable()).parse(JSON.parse(stdout));
  const wrong = judged.flatMap(({ pair, changes }, at) =>
    opinions[at] === null ? [] : [{ why: opinions[at], changes, head: pair.head.toString() }],
  );
  expect(wrong).toEqual([]);
  // Both kinds must occur: a delta that reports everything as structural would pass.
  expect(judged.length).toBeGreaterThan(PAIRS / 5);
  expect(judged.length).toBeLessThan((PAIRS * 4) / 5);
  expect(judged.filter(({ changes }) => changes.length > 0).length).toBeGreaterThan(PAIRS / 10);
}, 120_000);
