/** Gate: no other run of the lane is live; two ferries at once would tell nothing about either. */

import { block, type Gate, given, pass } from './gate.ts';

export const laneFree: Gate = {
  id: 'lane-free',
  evaluate: ({ liveRuns }) =>
    given(liveRuns, (runs) =>
      runs.length === 0 ? pass('free') : block('busy', 'time', { run: runs[0] ?? '', count: runs.length }),
    ),
};
