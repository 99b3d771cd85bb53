/** `/propose [knob=value …] [objective="…"]`: today's ferry, with these knobs or with what is due (issue *the gate*, Proposals). */

import { z } from 'zod';
import type { CommandDefinition } from './definition.ts';
import { reasonText } from './values.ts';

/** A knob as it is named here: its name or its path, without quotes around the keys of dicts. */
const knobName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{M}\p{N}_.\-[\]()#]{0,199}$/u, 'the name or path of a knob');
const knobValue = z.string().trim().min(1, 'a value').max(200, 'a value of at most 200 characters');

export const propose: CommandDefinition = {
  name: 'propose',
  keys: { objective: { required: false, value: reasonText } },
  freeKeys: { name: knobName, value: knobValue },
  who: (policy) => policy.proposePermission,
  summary:
    "Proposes today's ferry with these knobs, or with what is due. The one who asks cannot approve it.",
  example: '/propose learning_rate=4e-3 objective="integration: does warmup still hold?"',
  decide: () => ({ kind: 'hand-over' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
};
