/** Gate: the rules that this run is judged by are the newest ones of the default branch, those are valid, and its lane is in them. */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('config-valid');

export const configValid: Gate = {
  id: 'config-valid',
  evaluate: ({ configHealth }) =>
    given(configHealth, ({ isValid, problems, first, line, inForce, since, missingLane }) => {
      const commit = inForce.slice(0, 12);
      if (missingLane !== null) return block('lane-gone', 'lab', { lane: missingLane, inForce: commit });
      if (isValid) return pass('valid');
      return block('invalid', 'lab', { count: problems, first, line, inForce: commit, since: since ?? '' });
    }),
};
