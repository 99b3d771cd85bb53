/** How far one step may change a knob, and whether its file can be restored. */

import { describe, expect, it } from 'vitest';
import { diffConfigs } from '../../../src/delta/config-delta.ts';
import { findLargeStep, isRevertible, type Steps } from '../../../src/kinds/ferry/edit.ts';
import { readText } from '../../support/read-experiments.ts';

const STEPS: Steps = {
  factor: 2,
  knobs: { lr: { factor: 1.5 }, 'train.dropout': { absolute: 0.05 }, schedule: { values: ['"linear"', '"cosine"'] } },
  enforce: 'warn',
};

describe('a step', () => {
  // threat T70
  it.each([
    ['depth', '8', '16', null],
    ['depth', '8', '17', 'a factor of 2'],
    ['depth', '8', '4', null],
    ['depth', '8', '3', 'a factor of 2'],
    ['depth', '-8', '8', 'a factor of 2'],
    ['depth', '0', '1', 'a factor of 2'],
    ['depth', '1_000', '2e3', null],
    ['lr', '3e-3', '4.5e-3', null],
    ['lr', '3e-3', '5e-3', 'a factor of 1.5'],
    ['dropout', '0.0', '0.05', null],
    ['dropout', '0.0', '0.1', '0.05 up or down'],
    ['schedule', '"linear"', "'cosine'", null],
    ['schedule', '"linear"', '"constant"', '"linear", "cosine"'],
    ['remat', 'False', 'True', null],
    ['depth', '8', 'DEPTH', 'a number that can be compared'],
    ['depth', '8', 'float("8")', 'a number that can be compared'],
    ['lr', '3e-3', '(3e-3 * 1000)', 'a number that can be compared'],
    ['lr', '3e-3', '3e-3*1000', 'a number that can be compared'],
    ['dropout', '0.1', 'None', 'a number that can be compared'],
    ['depth', 'DEPTH', '8', null],
    ['name', '"a"', '"b"', null],
  ])('of %s from %s to %s: too large by %s', (knob, before, after, most) => {
    const change = { knob, path: `train.${knob}`, before, after };
    expect(findLargeStep([change], STEPS)?.most ?? null).toBe(most);
  });
});

describe('a file can be restored', () => {
  const FILE = 'LR = 3e-3  # the usual one\nrun(warmup=100)\n';

  it.each([
    ['two values', 'LR = 4e-3  # the usual one\nrun(warmup=50)\n', true],
    ['a changed comment', 'LR = 4e-3  # a new one\nrun(warmup=100)\n', false],
    ['a new setting', 'LR = 4e-3  # the usual one\nrun(warmup=100, decay=0.1)\n', false],
    ['another formatting', 'LR =  4e-3  # the usual one\nrun(warmup=100)\n', false],
  ])('after %s', async (_, text, isSo) => {
    const delta = diffConfigs(await readText(FILE), await readText(text));
    expect(delta.kind).toBe('knobs');
    expect(isRevertible(delta)).toBe(isSo);
  });
});
