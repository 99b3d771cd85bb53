/** Gate: nobody has put a hold on this run, its lane or the repository. */

import { block, type Gate, pass } from './gate.ts';

export const notHeld: Gate = {
  id: 'not-held',
  evaluate: ({ holds }) => {
    const first = holds[0];
    return first === undefined
      ? pass('free')
      : block('held', 'maintainer', { scope: first.scope, reason: first.reason });
  },
};
