/** Compares two values that stand in the same place: a knob where the place holds data, and what is inside where it holds a call. */

import type { PyNode } from '../domain/python-syntax.ts';
import { changed, type Outcome, SAME, UNCOUNTABLE } from './diff-outcome.ts';
import { containerKind, hasCode, innerCalls, isPlain, shapeOf } from './expression-shape.ts';
import { type PyFile, ungrouped } from './normal-form.ts';

/**
 * The two files that are compared, and how to go on inside: comparing is recursive across several modules, which
 * therefore get each other from here instead of importing in circles.
 */
export type Pair = {
  readonly base: PyFile;
  readonly head: PyFile;
  readonly expression: (base: PyNode, head: PyNode) => Outcome;
  readonly statement: (base: PyNode, head: PyNode) => Outcome;
  readonly block: (base: PyNode, head: PyNode, scope: Scope) => Outcome;
};

/** Where a block stands: a name that is set in a module or class is a constant, elsewhere a local variable. */
export type Scope = 'module' | 'class' | 'inner';

/**
 * What may stand in a place. `data`: a module constant or a positional argument, which new calls turn into code;
 * `any`: a keyword, an entry or an element, told as a whole whatever plain value comes or goes.
 */
export type Place = 'data' | 'any';

/** Two values in the same place. */
export function diffValue(base: PyNode, head: PyNode, place: Place, files: Pair): Outcome {
  if (files.base.normal(base) === files.head.normal(head)) return SAME;
  const shape = shapeOf(base, files.base.syntax.text);
  if (shape === shapeOf(head, files.head.syntax.text)) {
    if (shape === 'scalar') return diffScalar(base, head, files);
    if (shape !== 'sequence' || containerKind(ungrouped(base)) === containerKind(ungrouped(head)))
      return files.expression(ungrouped(base), ungrouped(head));
  }
  return mayStand(base, place, files.base) && mayStand(head, place, files.head)
    ? changed(base, head, head)
    : UNCOUNTABLE;
}

/** A value that came (`head`) or went (`base`); `at` is where in the head. */
export function diffPresence(
  value: { readonly base: PyNode } | { readonly head: PyNode },
  place: Place,
  at: PyNode,
  files: Pair,
): Outcome {
  if ('base' in value)
    return mayStand(value.base, place, files.base) ? changed(value.base, null, at) : UNCOUNTABLE;
  return mayStand(value.head, place, files.head) ? changed(null, value.head, value.head) : UNCOUNTABLE;
}

/** Whether a value can be told as one text in its place. */
export function mayStand(value: PyNode, place: Place, file: PyFile): boolean {
  return isPlain(value) && (place === 'any' || innerCalls(value, file.syntax.text).length === 0);
}

// The calls inside must be the same ones, else the number beside them is not all that changed.
function diffScalar(base: PyNode, head: PyNode, files: Pair): Outcome {
  const calls = (node: PyNode, file: PyFile): string =>
    innerCalls(node, file.syntax.text).map(file.normal).sort().join(';');
  if (calls(base, files.base) !== calls(head, files.head))
    return files.expression(ungrouped(base), ungrouped(head));
  return hasCode(base) || hasCode(head) ? UNCOUNTABLE : changed(base, head, head);
}
