/** Gate: what an adopted job ran is known whole, and at which commit of this repository: nothing else can be launched again. */

import { type Gate, given, judging } from '../../../gates/gate.ts';
import { startedBy } from '../launched-again.ts';

const { block, pass } = judging('entrypoint-known');

export const entrypointKnown: Gate = {
  id: 'entrypoint-known',
  evaluate: ({ adopts: job, change }) => {
    if (job === undefined) return block('not-told', 'author');
    const { commit, commitIsHere } = job;
    if (startedBy(job) === null || commit === null) return block('not-repeatable', 'author');
    if (!commitIsHere) return block('commit-missing', 'author', { commit });
    // What would be shipped is what is read at that commit, and at no other.
    return given(change, ({ headSha }) =>
      headSha === commit ? pass('known', { commit }) : block('commit-missing', 'author', { commit }),
    );
  },
};
