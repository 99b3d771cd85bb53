/** Gate: usually one or two knobs. Guidance, not a law: a warning unless the lab says block (policy DF-01). */

import { block, cannotTell, type Gate, given, pass, warn } from './gate.ts';

export const budget: Gate = {
  id: 'budget',
  evaluate: ({ change, policy }) =>
    given(change, ({ delta }) => {
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be counted');
      const knobs = delta.kind === 'knobs' ? delta.changes.length : 0;
      const found = { knobs, most: policy.knobsMax };
      if (knobs <= policy.knobsMax) return pass('within', found);
      return policy.enforceBudget === 'block'
        ? block('over', 'author', found)
        : warn('over', 'author', found);
    }),
};
