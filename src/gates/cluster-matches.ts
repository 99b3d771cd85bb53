/**
 * Gate: the launch command goes to the cluster that the lane names in the config in force, and what was approved goes
 * there too (policy DF-34). A manifest of this moment is made from that config; the approved one is the record's.
 */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('cluster-matches');

export const clusterMatches: Gate = {
  id: 'cluster-matches',
  evaluate: ({ manifest, approved, lane }) =>
    given(manifest, ({ cluster }) => {
      // rule DF-34
      const found = approved?.cluster ?? cluster;
      return found === lane.cluster && cluster === lane.cluster
        ? pass('lane-cluster', { cluster })
        : block('other-cluster', 'lab', {
            found: found === lane.cluster ? cluster : found,
            wanted: lane.cluster,
          });
    }),
};
