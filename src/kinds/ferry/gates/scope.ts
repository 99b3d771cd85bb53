/** Gate: only the configured files change, so that the diff stays small and intentional (policy DF-10). */

import { type Gate, given, judging } from '../../../gates/gate.ts';
import { ferryLane } from '../settings.ts';

const { block, pass } = judging('scope');

export const scope: Gate = {
  id: 'scope',
  evaluate: ({ change, lane }) =>
    given(change, ({ changedPaths }) => {
      const outside = changedPaths.filter((path) => !ferryLane(lane).scope.includes(path));
      if (outside.length === 0) return pass('inside', { files: changedPaths.length });
      return block('outside', 'author', { first: outside[0] ?? '', count: outside.length });
    }),
};
