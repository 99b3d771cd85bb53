/** Gate: everybody who had a hand in the proposal can be named, so that nobody approves their own work unseen. */

import { limits } from '../domain/limits.ts';
import { block, type Gate, given, pass } from './gate.ts';

export const authorsKnown: Gate = {
  id: 'authors-known',
  evaluate: ({ authors, onePersonIsEnough }) => {
    if (onePersonIsEnough) return pass('one-person');
    return given(authors, ({ people, unnamed }) => {
      const first = unnamed[0];
      if (first !== undefined)
        return block(first.code, 'author', { about: first.about, by: first.by, count: unnamed.length });
      const names = people
        .slice(0, limits.shownNamesMax)
        .map(({ login }, index) => [`who${index + 1}`, login]);
      return names.length === 0 ? pass('bot-alone') : pass('named', Object.fromEntries(names));
    });
  },
};
