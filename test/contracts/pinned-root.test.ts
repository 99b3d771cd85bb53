/** Which commands name the folder that their job writes to. */

import { describe, expect, it } from 'vitest';
import { derivedRoot, isRootInCommand, isTemporary } from '../../src/contracts/gates.ts';

const ROOT = 'gs://lab/runs/ep8';

it.each([
  [['python3', 'train.py', `--trainer.checkpointer.base_path=${ROOT}`]],
  [['python3', 'train.py', '--out', `${ROOT}/checkpoints`]],
  [[`OUT=${ROOT}/`, 'python3', 'train.py']],
  // Levanter appends the id of the run to its base path.
  [['python3', 'train.py', '--base=gs://lab/runs', '--run-id', 'ep8']],
])('%j names it', (command) => {
  expect(isRootInCommand(command, `${ROOT}/`)).toBe(true);
});

it.each([
  [['python3', 'train.py']],
  [['python3', 'train.py', '--out=gs://lab/runs/ep80']],
  [['python3', 'train.py', '--out=gs://lab/runs/ep4', '--run-id=ep8']],
  [['python3', 'train.py', '--base=gs://lab/runs', '--run-id', 'ep4']],
])('%j does not name it', (command) => {
  expect(isRootInCommand(command, ROOT)).toBe(false);
});

describe('a root by a template of the lane', () => {
  const TEMPLATE = 's3://models/{run-id}/{size}/';
  it.each([
    [['RUN_ID=ep8', 'python3', 'train.py', '--size', 'd6144'], 's3://models/ep8/d6144'],
    [['python3', 'train.py', '--run_id=ep8', '--size=d6144'], 's3://models/ep8/d6144'],
    [['python3', 'train.py', '--run-id', 'ep8'], null],
    [['python3', 'train.py', '--run-id', 'ep8', '--run-id', 'ep9', '--size=d6144'], null],
  ])('of %j is %s', (command, root) => {
    expect(derivedRoot(TEMPLATE, command)).toBe(root);
  });
});

describe('a temporary root', () => {
  const PLACES = ['/tmp', '/dev/shm', 'tmp', 'ttl=', 's3://scratch'];
  it.each([
    ['/tmp/x', true],
    ['/tmp', true],
    ['s3://lab/tmp/ttl=14d/r', true],
    ['s3://lab/ttl=3d/r', true],
    ['s3://scratch/r', true],
    ['/tmp-data/x', false],
    ['s3://lab/temp-0.7', false],
    ['s3://scratch2/r', false],
  ])('%s: %s', (root, expected) => {
    expect(isTemporary(root, PLACES)).toBe(expected);
  });
});
