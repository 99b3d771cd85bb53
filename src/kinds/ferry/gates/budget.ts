/** Gate: usually one or two knobs are new. Guidance, not a law: a warning unless the lab says block (policy DF-01). */

import { newDelta } from '../../../domain/launch/base.ts';
import { cannotTell, type Gate, given, judging } from '../../../gates/gate.ts';
import { ferryLane } from '../settings.ts';

const { block, pass, warn } = judging('budget');

export const budget: Gate = {
  id: 'budget',
  evaluate: ({ change, lane }) =>
    given(change, (value) => {
      const delta = newDelta(value);
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be counted');
      const knobs = delta.kind === 'knobs' ? delta.changes.length : 0;
      const { knobs: most, enforce } = ferryLane(lane).budget;
      const found = { knobs, most, against: value.base?.run };
      if (knobs <= most) return pass('within', found);
      return enforce === 'block' ? block('over', 'author', found) : warn('over', 'author', found);
    }),
};
