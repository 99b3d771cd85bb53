/** Gate: every box of the checklist that must be ticked before a launch is there and ticked; outcomes are ferrybot's own to tick. */

import { changed } from '../domain/observed.ts';
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
  replay: {
    settings: (manifest) => manifest.preconditions.map(({ text }) => text),
    // The record has the boxes that were preconditions then; one that was not there counts as one that was not ticked.
    worlds: ({ then, facts }) => {
      const ticked = (text: string): boolean | undefined =>
        then.preconditions.find((box) => box.text === text)?.checked;
      return [true, false].map((others) => ({
        ...facts,
        body: changed(facts.body, (body) => ({
          ...body,
          boxes: facts.lane.checklist.preconditions.map((text) => ({
            text,
            checked: ticked(text) ?? others,
            line: 0,
          })),
        })),
      }));
    },
  },
};
