/** Gate: nobody holds this run, its lane, its day or the repository. */

import { type Hold, targetFacts } from '../domain/launch/hold.ts';
import { type Gate, given, type Judgement, judging } from './gate.ts';

const { block, pass } = judging('not-held');

export const notHeld: Gate = {
  id: 'not-held',
  evaluate: ({ holds }) => given(holds, judge),
};

function judge(holds: readonly Hold[]): Judgement {
  const [first] = holds;
  if (first === undefined) return pass('free');
  const { reason, actor } = first;
  return block('held', 'maintainer', {
    ...targetFacts(first),
    reason,
    by: actor.login,
    count: holds.length,
  });
}
