/** What a ferry would train: parameters and FLOPs by its file and its lane, or why nobody can tell. */

import { describe, expect, it } from 'vitest';
import { sizeOf } from '../../../src/kinds/ferry/scale.ts';
import { LANE } from '../../gates/sample-facts.ts';
import { experimentFile } from '../../support/read-experiments.ts';

const FILE = `BATCH = 1_024
STEPS = steps()
train_config = SimpleTrainConfig(
    train_seq_len=4096,
    num_train_steps=5155,
)
`;
const SCALE = { parameters: '125e6', flops: '1e19', tolerancePercent: 20, tokens: null, flopsVariable: null };
const TRAIN = 'train_config.SimpleTrainConfig()';
const file = await experimentFile(FILE);

function sizeIn(
  scale: Partial<NonNullable<typeof LANE.scale>> | null,
  environment: Readonly<Record<string, string>> = {},
) {
  const lane = { ...LANE, environment, scale: scale === null ? null : { ...SCALE, ...scale } };
  return sizeOf(lane)?.(file) ?? null;
}

describe('the size of a ferry', () => {
  it('is six FLOPs for each parameter and token of its knobs', () => {
    expect(sizeIn({ tokens: ['BATCH', `${TRAIN}.train_seq_len`, `${TRAIN}.num_train_steps`] })).toEqual({
      kind: 'known',
      parameters: 125e6,
      flops: 6 * 125e6 * 1024 * 4096 * 5155,
    });
    expect(sizeIn({ tokens: [1024, 2] })).toMatchObject({ flops: 6 * 125e6 * 2048 });
  });

  it('is what the environment sets where the job works its steps out from it', () => {
    expect(sizeIn({ flopsVariable: 'FLOPS' }, { FLOPS: '1e19' })).toMatchObject({ flops: 1e19 });
    expect(sizeIn({ flopsVariable: 'FLOPS' }, { FLOPS: '{run}' })).toMatchObject({ kind: 'unknown' });
    expect(sizeIn({ flopsVariable: 'FLOPS' })).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown where a knob is no number or not there', () => {
    expect(sizeIn({ tokens: ['STEPS'] })).toEqual({
      kind: 'unknown',
      why: 'the experiment has no number at STEPS',
    });
    expect(sizeIn({ tokens: ['BATCH', 'GONE'] })).toMatchObject({ kind: 'unknown' });
  });

  it('is not told where the lane says nothing of it', () => {
    expect(sizeIn(null)).toBeNull();
  });
});
