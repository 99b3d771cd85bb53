/** `/propose [knob=value …] [objective="…"] [lane=…]`: today's ferry, with these knobs or with what is due. */

import type { CommandDefinition } from './definition.ts';
import { knobPath, knobValue, laneWord, reasonText } from './values.ts';

export const propose: CommandDefinition = {
  name: 'propose',
  keys: {
    objective: { required: false, value: reasonText },
    lane: { required: false, value: laneWord },
  },
  freeKeys: { name: knobPath, value: knobValue },
  who: (policy) => policy.proposePermission,
  summary:
    "Proposes today's ferry with these knobs, or with what is due. The one who asks cannot approve it.",
  example: '/propose learning_rate=4e-3 objective="integration: does warmup still hold?"',
  decide: () => ({ kind: 'hand-over' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
};
