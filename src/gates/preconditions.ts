/** Gate: every box of the checklist that must be ticked before a launch is there and ticked; outcomes are ferrybot's own to tick. */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('preconditions');

export const preconditions: Gate = {
  id: 'preconditions',
  evaluate: ({ body, lane }) =>
    given(body, ({ boxes }) => {
      // rule DF-22
      for (const wanted of lane.checklist.preconditions) {
        const found = boxes.filter((box) => box.text === wanted);
        if (found.length === 0) return block('box-missing', 'author', { box: wanted });
        // rule DF-19
        if (!found.every((box) => box.checked))
          return block('box-open', 'author', { box: wanted, line: found[0]?.line ?? 0 });
      }
      return pass('ticked', { boxes: lane.checklist.preconditions.length });
    }),
  readsSettings: true,
};
