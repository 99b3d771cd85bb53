/** Which commands name the folder that their job writes to. */

import { expect, it } from 'vitest';
import { isPinnedBy } from '../../src/contracts/gates.ts';

const ROOT = 'gs://lab/runs/ep8';

it.each([
  [['python3', 'train.py', `--trainer.checkpointer.base_path=${ROOT}`]],
  [['python3', 'train.py', '--out', `${ROOT}/checkpoints`]],
  [[`OUT=${ROOT}/`, 'python3', 'train.py']],
  // Levanter appends the id of the run to its base path.
  [['python3', 'train.py', '--base=gs://lab/runs', '--run-id', 'ep8']],
])('%j names it', (command) => {
  expect(isPinnedBy(command, `${ROOT}/`)).toBe(true);
});

it.each([
  [['python3', 'train.py']],
  [['python3', 'train.py', '--out=gs://lab/runs/ep80']],
  [['python3', 'train.py', '--out=gs://lab/runs/ep4', '--run-id=ep8']],
  [['python3', 'train.py', '--base=gs://lab/runs', '--run-id', 'ep4']],
])('%j does not name it', (command) => {
  expect(isPinnedBy(command, ROOT)).toBe(false);
});
