/** Gate: what may be made smaller without asking stands in the command, gets smaller with each step, and begins with the batch. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { readReduction, reduced, type Started, valueNow } from '../../../domain/launch/reduction.ts';
import { contractNow, type Gate, given, type Judgement, judging } from '../../../gates/gate.ts';
import { rentalLane } from '../settings.ts';

const { block, pass } = judging('reductions-bounded');

export const reductionsBounded: Gate = {
  id: 'reductions-bounded',
  evaluate: (facts) => given(contractNow(facts.contract), () => judge(facts.lane)),
};

function judge(lane: LaneConfig): Judgement {
  const { reductions = [], command, environment } = rentalLane(lane);
  if (reductions.length === 0) return pass('none');
  const first = reductions[0] ?? '';
  // rule VA-27
  if (!/batch/i.test(readReduction(first)?.name ?? '')) return block('not-batch-first', 'author', { first });
  return faultIn({ command, environment }, reductions) ?? pass('bounded', { steps: reductions });
}

/** The first step that changes nothing, or makes nothing smaller. */
function faultIn(started: Started, reductions: readonly string[]): Judgement | null {
  let before = started;
  for (const step of reductions) {
    const reduction = readReduction(step);
    const now = reduction === null ? null : valueNow(before, reduction);
    if (reduction === null || now === null) return block('not-in-command', 'author', { step });
    // A comparison with what is no number is false, and so it is refused.
    if (!(Number(reduction.value) < Number(now))) return block('not-smaller', 'author', { step, now });
    before = reduced(before, reduction);
  }
  return null;
}
