/** Gate: no other run of the lane is live; two ferries at once would tell nothing about either. */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('lane-free');

export const laneFree: Gate = {
  id: 'lane-free',
  evaluate: ({ liveRuns }) =>
    given(liveRuns, (runs) =>
      runs.length === 0 ? pass('free') : block('busy', 'time', { run: runs[0] ?? '', count: runs.length }),
    ),
};
