/** `/propose [knob=value …] [objective="…"] [lane=…]`: requests a run. */

import type { CommandDefinition } from './decision.ts';
import { knobPath, knobValue, laneWord, reasonText } from './values.ts';

export const propose = {
  name: 'propose',
  keys: {
    objective: { required: false, value: reasonText },
    lane: { required: false, value: laneWord },
  },
  freeKeys: { name: knobPath, value: knobValue },
  who: (policy) => policy.permissions.propose,
  summary:
    "Proposes today's ferry with these knobs, or with what is due; in somebody's own pull request that changes the experiment, takes that up as it is. The one who asks cannot approve it.",
  example: '/propose learning_rate=4e-3 objective="integration: does warmup still hold?"',
  decide: () => ({ kind: 'hand-over' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;
