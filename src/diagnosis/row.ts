/** One row of the table from log text to class. */

import type { Confidence, FailureClass } from '../domain/failure-class.ts';

/**
 * A line that matches `pattern` is evidence for `class`. `weight`: a `cause` starts a failure; an `effect` is what other
 * processes say when one has died (a closed connection, a barrier that nobody came to), and counts only where no cause is
 * told; a `hint` counts where nothing else does. Patterns are linear in the line's length.
 */
export type Row = {
  readonly class: FailureClass;
  readonly weight: 'cause' | 'effect' | 'hint';
  readonly confidence: Confidence;
  readonly pattern: RegExp;
};

/** One row for each pattern, in their order. */
export function rows(
  weight: Row['weight'],
  kind: FailureClass,
  confidence: Confidence,
  patterns: readonly RegExp[],
): readonly Row[] {
  return patterns.map((pattern) => ({ class: kind, weight, confidence, pattern }));
}
