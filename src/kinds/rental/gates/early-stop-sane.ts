/** Gate: where a job may end itself early, it does so late and patiently enough not to end a good run (policy VA, Early-Stop Policy Guardrail). */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { contractNow, type Gate, given, type Judgement, judging } from '../../../gates/gate.ts';
import { earlyStopText, tooSmall } from '../contract/early-stop.ts';
import { rentalLane } from '../settings.ts';

const { block, pass } = judging('early-stop-sane');

export const earlyStopSane: Gate = {
  id: 'early-stop-sane',
  evaluate: (facts) => given(contractNow(facts.contract), () => judge(facts.lane)),
};

function judge(lane: LaneConfig): Judgement {
  const { earlyStop = null, finalStep } = rentalLane(lane);
  if (earlyStop === null) return pass('none');
  if (finalStep === null) return block('no-final-step', 'author');
  const small = tooSmall(earlyStop, finalStep);
  return small.length > 0
    ? block('too-small', 'author', { small })
    : pass('sane', { says: earlyStopText(earlyStop), of: finalStep });
}
