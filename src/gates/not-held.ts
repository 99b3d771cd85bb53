/** Gate: nobody has put this run on hold, left its day out, or frozen its lane or repository. */

import { assertNever } from '../domain/assert.ts';
import type { Hold } from '../domain/launch/hold.ts';
import { type Gate, given, type Judgement, judging } from './gate.ts';

const { block, pass } = judging('not-held');

export const notHeld: Gate = {
  id: 'not-held',
  evaluate: ({ holds }) => given(holds, judge),
};

function judge(holds: readonly Hold[]): Judgement {
  const first = holds[0];
  if (first === undefined) return pass('free');
  const { kind, scope, reason, actor, date } = first;
  const found = { scope, reason, by: actor.login, count: holds.length };
  switch (kind) {
    case 'hold':
      return block('held', 'maintainer', found);
    case 'skip':
      return block('skipped', 'maintainer', { ...found, date: date ?? '' });
    case 'freeze':
      return block('frozen', 'maintainer', found);
    default:
      return assertNever(kind);
  }
}
