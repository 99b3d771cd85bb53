/** What a ferry is for, read from a person's words: the policy knows two objectives, and words that name neither or both are a question. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import type { ObjectiveReading } from '../../../run/proposing.ts';
import { ferryLane } from '../settings.ts';

/** What a ferry is for where the lab has a standing objective and nobody says anything else (policy DF-03). */
export const USUAL_OBJECTIVE: Objective = { kind: 'integration', text: 'normal daily integration check' };

/** Where nothing is said, the lab's standing objective counts, if it has one. */
export function ferryObjective(said: string | null, lane: LaneConfig): ObjectiveReading {
  if (said !== null) return readObjective(said);
  return ferryLane(lane).objective === 'integration'
    ? { kind: 'clear', objective: USUAL_OBJECTIVE }
    : { kind: 'unclear', why: 'nothing-said' };
}

/**
 * `integration: …` and `regression: …` decide by their first word; other text decides by naming exactly one of the two,
 * without a *not* that could turn its meaning round. The text is kept as it was said.
 */
export function readObjective(text: string): ObjectiveReading {
  const said = text.trim();
  const declared = DECLARED.exec(said)?.[1]?.toLowerCase();
  if (declared === 'integration' || declared === 'regression')
    return { kind: 'clear', objective: { kind: declared, text: said } };
  const named = (['integration', 'regression'] as const).filter((kind) => NAMED[kind].test(said));
  const [kind] = named;
  if (kind === undefined) return { kind: 'unclear', why: 'names-neither' };
  if (named.length > 1) return { kind: 'unclear', why: 'names-both' };
  if (NEGATION.test(said)) return { kind: 'unclear', why: 'negated' };
  return { kind: 'clear', objective: { kind, text: said } };
}

const DECLARED = /^(integration|regression)(?:\s*:|$)/i;
const NAMED = { integration: /\bintegration\b/i, regression: /\bregressions?\b/i } as const;
const NEGATION = /\b(?:no|not|never|without|neither|nor|instead)\b|n['’]t\b/i;
