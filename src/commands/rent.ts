/** `/rent gpu=… hours=… reason="…"`: requests a run on a rented machine. */

import { answering } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { contractText, laneWord, reasonText } from './values.ts';

const answerRent = answering({
  'rent-not-here': { why: ['no-lane', 'no-issue', 'run-here'], lanes: 'text' },
});

/** Parsed like the issue form's values; gates report unusable ones. */
const value = { required: false, value: contractText } as const;

export const rent = {
  name: 'rent',
  answers: answerRent.vocabulary,
  keys: {
    reason: { required: true, value: reasonText },
    gpu: value,
    gpus: value,
    hours: value,
    price: value,
    cap: value,
    vram: value,
    ram: value,
    disk: value,
    reliability: value,
    image: value,
    command: value,
    objective: value,
    kill: value,
    earlyStop: value,
    reductions: value,
    repairs: value,
    teardown: value,
    secrets: value,
    lane: { required: false, value: laneWord },
  },
  who: (policy) => policy.permissions.propose,
  summary:
    'In an issue: asks for a run on a machine that is rented for it. What is not said here stands in the issue, or in the lane. The one who asks cannot approve it.',
  example: '/rent gpu="RTX 4090" hours=6 cap="5 USD" reason="does the long context still train?"',
  confusedWith: ['lease', 'hire', 'vast'],
  decide: () => answerRent('rent-not-here', { why: 'run-here', lanes: '' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;
