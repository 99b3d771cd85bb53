/** Compares two expressions (or headers of statements) side by side and descends to the values inside. */

import { childIn, type PyNode } from '../domain/python-syntax.ts';

import { diffArguments } from './diff-arguments.ts';
import { diffElements, diffEntries } from './diff-container.ts';
import { type Outcome, SAME, together, UNCOUNTABLE } from './diff-outcome.ts';
import { diffParameters } from './diff-parameters.ts';
import { diffValue, type Pair } from './diff-value.ts';
import { containerKind } from './expression-shape.ts';
import { significantChildren, ungrouped } from './normal-form.ts';

/** Parts of a compound statement with a block of their own: what follows the head of an `if`, `try` or `match`. */
const CLAUSES: ReadonlySet<string> = new Set([
  'elif_clause',
  'else_clause',
  'except_clause',
  'finally_clause',
  'case_clause',
]);

/** Two nodes that must be of the same making; only what stands in a place for values may differ. */
export function diffExpression(baseOuter: PyNode, headOuter: PyNode, files: Pair): Outcome {
  const base = ungrouped(baseOuter);
  const head = ungrouped(headOuter);
  if (files.base.normal(base) === files.head.normal(head)) return SAME;
  if (containerKind(base) !== containerKind(head)) return UNCOUNTABLE;
  if (head.kind === 'block') return files.block(base, head, 'inner');
  const outcome = CLAUSES.has(head.kind) ? files.statement(base, head) : diffSameKind(base, head, files);
  // They differ: where no value was found that does, something else does.
  return outcome.kind === 'values' && outcome.changes.length === 0 && !hasBlock(head) ? UNCOUNTABLE : outcome;
}

function diffSameKind(base: PyNode, head: PyNode, files: Pair): Outcome {
  switch (head.kind) {
    case 'call':
      return diffCall(base, head, files);
    case 'argument_list':
      return diffArguments(base, head, files);
    case 'dictionary':
      return diffEntries(base, head, files);
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
      return diffElements(base, head, files);
    case 'parameters':
    case 'lambda_parameters':
      return diffParameters(base, head, files);
    case 'named_expression':
      return diffNamed(base, head, files);
    case 'type':
      return UNCOUNTABLE;
    default:
      return diffChildren(base, head, files);
  }
}

// In a block, what differs may be where its imports stand.
function hasBlock(node: PyNode): boolean {
  return CLAUSES.has(node.kind);
}

/** Two nodes child by child; `skip` leaves out roles that are compared elsewhere. */
export function diffChildren(base: PyNode, head: PyNode, files: Pair, skip: readonly string[] = []): Outcome {
  const counts = (child: PyNode): boolean => child.field === null || !skip.includes(child.field);
  const baseChildren = significantChildren(base).filter(counts);
  const headChildren = significantChildren(head).filter(counts);
  if (baseChildren.length !== headChildren.length || headChildren.length === 0) return UNCOUNTABLE;
  return together(
    baseChildren.values().map((child, at) => {
      const other = headChildren[at];
      if (
        other === undefined ||
        containerKind(other) !== containerKind(child) ||
        other.isNamed !== child.isNamed
      )
        // `1` and `(1)`: other kinds of node, the same value.
        return other?.isNamed === true && files.base.normal(child) === files.head.normal(other)
          ? SAME
          : UNCOUNTABLE;
      return child.isNamed ? diffExpression(child, other, files) : SAME;
    }),
  );
}

function diffCall(base: PyNode, head: PyNode, files: Pair): Outcome {
  const given = childIn(base, 'arguments');
  const headGiven = childIn(head, 'arguments');
  const callee = childIn(base, 'function');
  const headCallee = childIn(head, 'function');
  if (given === null || headGiven === null || callee === null || headCallee === null) return UNCOUNTABLE;
  return together([diffExpression(callee, headCallee, files), diffExpression(given, headGiven, files)]);
}

function diffNamed(base: PyNode, head: PyNode, files: Pair): Outcome {
  const name = childIn(base, 'name');
  const headName = childIn(head, 'name');
  const value = childIn(base, 'value');
  const headValue = childIn(head, 'value');
  if (name === null || headName === null || value === null || headValue === null) return UNCOUNTABLE;
  if (files.base.normal(name) !== files.head.normal(headName)) return UNCOUNTABLE;
  return diffValue(value, headValue, 'data', files);
}
