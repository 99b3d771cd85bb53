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

type Told = Pick<Row, 'class' | 'pattern'>;

/** A message that names what went wrong itself. */
export function cause(kind: FailureClass, pattern: RegExp, confidence: Confidence = 'high'): Row {
  return { ...told(kind, pattern), weight: 'cause', confidence };
}

/** A message that a failure elsewhere brings about as well. */
export function effect(kind: FailureClass, pattern: RegExp, confidence: Confidence = 'medium'): Row {
  return { ...told(kind, pattern), weight: 'effect', confidence };
}

/** A message that says little, and is better than none. */
export function hint(kind: FailureClass, pattern: RegExp): Row {
  return { ...told(kind, pattern), weight: 'hint', confidence: 'low' };
}

function told(kind: FailureClass, pattern: RegExp): Told {
  return { class: kind, pattern };
}
