/** Gate: the launch command goes to the lane's cluster and to no other (policy DF-34). */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('cluster-matches');

export const clusterMatches: Gate = {
  id: 'cluster-matches',
  evaluate: ({ manifest, lane }) =>
    given(manifest, ({ cluster }) =>
      cluster === lane.cluster
        ? pass('lane-cluster', { cluster })
        : block('other-cluster', 'lab', { found: cluster, wanted: lane.cluster }),
    ),
};
