/** What a ferry is for, read from a person's words: the policy knows two objectives, and words that name neither or both are a question. */

import type { Objective } from '../../../domain/logbook/events/launch-events.ts';

/** What a ferry is for where the lab has a standing objective and nobody says anything else (policy DF-03). */
export const USUAL_OBJECTIVE: Objective = { kind: 'integration', text: 'normal daily integration check' };

/** `unclear` is asked about before anything is edited (policy DF-05). */
export type ObjectiveReading =
  | { readonly kind: 'clear'; readonly objective: Objective }
  | { readonly kind: 'unclear'; readonly why: 'names-neither' | 'names-both' | 'negated' };

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
