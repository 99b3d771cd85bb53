/**
 * Gate: only the configured files change, so that the diff stays small and intentional (policy DF-10). Once an attempt has
 * failed, a fix of it may go further, as far as the lab says (policy DF-26).
 */

import { type Gate, given, judging } from '../../../gates/gate.ts';
import { ferryLane, fixableOf, mayChange } from '../settings.ts';

const { block, pass } = judging('scope');

export const scope: Gate = {
  id: 'scope',
  evaluate: ({ change, lane, fixOf }) =>
    given(change, ({ changedPaths }) => {
      const ferry = ferryLane(lane);
      const outside = changedPaths.filter((path) => !mayChange(ferry, path, fixOf !== null));
      const [first] = outside;
      const files = changedPaths.length;
      const count = outside.length;
      if (fixOf === null)
        return first === undefined ? pass('inside', { files }) : block('outside', 'author', { first, count });
      const fix = { attempt: fixOf, may: fixableOf(ferry) };
      return first === undefined
        ? pass('fix-inside', { files, ...fix })
        : block('fix-outside', 'author', { first, count, ...fix });
    }),
  readsSettings: true,
};
