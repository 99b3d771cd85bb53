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
  /** The name under which the watch reports such a line while the job runs; null: the line counts at the end alone. */
  readonly signature: string | null;
};

type Named = { readonly signature: string; readonly pattern: RegExp };

/** A pattern whose lines the watch reports while the job runs. */
export function named(signature: string, pattern: RegExp): Named {
  return { signature, pattern };
}

/** One row for each pattern, in their order. */
export function rows(
  weight: Row['weight'],
  kind: FailureClass,
  confidence: Confidence,
  patterns: readonly (RegExp | Named)[],
): readonly Row[] {
  return patterns.map((one) => ({
    class: kind,
    weight,
    confidence,
    ...(one instanceof RegExp ? { pattern: one, signature: null } : one),
  }));
}
