/** Gate: usually one or two knobs are new (policy DF-01), each by a small step that can be put back (DF-41). Guidance, not a law: warnings unless the lab says block. */

import { newDelta } from '../../../domain/launch/base.ts';
import { cannotTell, type Gate, given, judging } from '../../../gates/gate.ts';
import { ferryLane } from '../settings.ts';
import { canBePutBack, largeStep } from '../step.ts';

const { block, pass, warn } = judging('budget');

export const budget: Gate = {
  id: 'budget',
  evaluate: ({ change, lane }) =>
    given(change, (value) => {
      const delta = newDelta(value);
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be counted');
      const changes = delta.kind === 'knobs' ? delta.changes : [];
      const { budget: most, steps } = ferryLane(lane);
      const found = { knobs: changes.length, most: most.knobs, against: value.base?.run };
      const isStrict = steps.enforce === 'block';
      const large = largeStep(changes, steps);
      // rule DF-01
      const isOver = changes.length > most.knobs;
      // What blocks is said before what warns.
      if (isOver && most.enforce === 'block') return block('over', 'author', found);
      if (isOver && !isStrict) return warn('over', 'author', found);
      if (large !== null) {
        const { before, after, knob } = large.change;
        const step = { knob, before: before ?? '', after: after ?? '', small: large.most };
        return isStrict ? block('large-step', 'author', step) : warn('large-step', 'author', step);
      }
      if (!canBePutBack(delta)) {
        const all = { knobs: changes.length };
        return isStrict ? block('leaves-more', 'author', all) : warn('leaves-more', 'author', all);
      }
      return isOver ? warn('over', 'author', found) : pass('within', found);
    }),
  readsSettings: true,
};
