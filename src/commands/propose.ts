/** `/propose [knob=value …] [objective="…"] [lane=…]`: requests a run. */

import { TARGET_FIELDS } from '../domain/launch/hold.ts';
import type { Vocabulary } from '../domain/payload.ts';
import type { CommandDefinition } from './decision.ts';
import { knobPath, knobValue, laneWord, reasonText } from './values.ts';

/** Why a pull request or issue does not become a run. */
const NOT_TAKEN_UP = [
  'fork',
  'draft',
  'no-experiment',
  'several-lanes',
  'knobs',
  'not-permitted',
  'no-person',
  'no-value',
  'no-name',
] as const;
export type NotTakenUp = (typeof NOT_TAKEN_UP)[number];

const ANSWERS = {
  proposed: { run: 'text', pull: 'integer', issue: 'integer' },
  'propose-held': { ...TARGET_FIELDS, by: 'text', reason: 'text' },
  'propose-standing': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?', own: 'integer?' },
  'propose-busy': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?' },
  'propose-not-today': { count: 'integer' },
  'propose-edit-refused': {
    why: ['unknown-knob', 'ambiguous-knob', 'repeated-knob', 'value-refused', 'unchanged', 'over-budget'],
    /** The knob, as it was named, or how many. */
    name: 'text',
    /** What the knob is or could be, or the most that is allowed. */
    about: 'text?',
  },
  'propose-objective-unclear': { why: 'text', said: 'text', knobs: 'text' },
  'propose-nothing': { reason: 'text', why: 'text' },
  'propose-refused': { why: NOT_TAKEN_UP, about: 'text', wanted: 'text' },
} as const satisfies Vocabulary;

export const propose = {
  name: 'propose',
  answers: ANSWERS,
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
