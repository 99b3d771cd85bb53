/** Gate: everybody who had a hand in the proposal can be named, so that nobody approves their own work unseen. */

import { limits } from '../domain/limits.ts';
import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('authors-known');

export const authorsKnown: Gate = {
  id: 'authors-known',
  evaluate: ({ authors, onePersonIsEnough }) => {
    if (onePersonIsEnough) return pass('one-person');
    return given(authors, ({ people, unnamed }) => {
      const first = unnamed[0];
      if (first !== undefined)
        return block(first.code, 'author', { about: first.about, by: first.by, count: unnamed.length });
      const who = people.slice(0, limits.shownNamesMax).map(({ login }) => login);
      return who.length === 0 ? pass('bot-alone') : pass('named', { who });
    });
  },
};
