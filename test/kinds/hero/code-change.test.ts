/**
 * How a file that differs from the failed attempt may affect the training, by its path and its changed
 * content.
 */

import { describe, expect, it } from 'vitest';
import type { Bucket, Delta } from '../../../src/domain/launch/change-facts.ts';
import { listCodeChanges } from '../../../src/kinds/hero/config-drift.ts';

const CODE: Delta = { kind: 'structural', side: 'head', line: 7, statement: 'x = y' };
const value = (path: string, bucket: Bucket): Delta => ({
  kind: 'knobs',
  changes: [{ knob: path, path, before: '1', after: '2', bucket, line: 3 }],
});
const touches = (path: string, delta: Delta | null = CODE): readonly string[] =>
  listCodeChanges({ path, delta }).map((one) => one.affects);

describe('a change that does not affect the training', () => {
  // rule HR-36
  it.each([
    'lib/README.md',
    'experiments/notes.rst',
    'lib/run.log',
    'lib/tests/helper.py',
    'lib/test_model.py',
    'lib/model_test.py',
    'docs/make.py',
  ])('is any change of %s', (path) => expect(touches(path)).toEqual([]));

  it('is a change that keeps the meaning of a file', () => {
    expect(touches('lib/model.py', { kind: 'none' })).toEqual([]);
  });
});

describe('a change of logging or evaluation', () => {
  // rule HR-32
  it.each(['lib/log_setup.py', 'lib/logging.py', 'lib/eval_callbacks.py', 'lib/evaluation.py', 'lib/wandb_logging.py'])(
    '%s only reports about the training',
    (path) => expect(touches(path)).toEqual(['telling']),
  );

  it('is a setting of evaluation or tracking, in any file', () => {
    expect(touches('experiments/run.py', value('train().steps_per_eval', 'observability'))).toEqual(['telling']);
  });
});

describe('a change that may affect the training', () => {
  it.each([
    'lib/model.py',
    'lib/train.py',
    'lib/optimizer.py',
    'lib/data.py',
    'lib/callbacks.py',
    'lib/metrics.py',
    'lib/logits.py',
    'lib/retrieval.py',
    'scripts/start.sh',
  ])('%s is code', (path) => expect(touches(path, path.endsWith('.py') ? CODE : null)).toEqual(['code']));

  // rule HR-45
  it('is a changed value, which can be named by its knob or its path', () => {
    expect(listCodeChanges({ path: 'experiments/run.py', delta: value('train().seed', 'system') })).toEqual([
      {
        affects: 'value',
        shown: 'experiments/run.py: train().seed (1 → 2)',
        names: ['experiments/run.py', 'experiments/run.py: train().seed'],
      },
    ]);
  });

  it('is a file that cannot be parsed, was added or was deleted', () => {
    expect(touches('lib/model.py', { kind: 'unparsable', side: 'head', line: 1, message: 'x' })).toEqual(['code']);
    expect(touches('lib/new.py', null)).toEqual(['code']);
  });
});
