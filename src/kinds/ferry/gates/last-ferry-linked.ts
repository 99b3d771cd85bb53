/** Gate: the PR links the last ferry's issue, PR or run, or says that there is none (policy DF-15). */

import { type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('last-ferry-linked');

export const lastFerryLinked: Gate = {
  id: 'last-ferry-linked',
  evaluate: ({ body }) =>
    given(body, ({ linksLastFerry }) => (linksLastFerry ? pass('linked') : block('missing', 'author'))),
};
