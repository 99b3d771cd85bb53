/** Compares two statements that were paired: what kind of statement it is decides where values may differ. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { diffArguments } from './diff-arguments.ts';
import { diffChildren, diffExpression } from './diff-expression.ts';
import { locatedAt, type Outcome, SAME, together, UNCOUNTABLE } from './diff-outcome.ts';
import { diffParameters } from './diff-parameters.ts';
import { diffValue, type Pair } from './diff-value.ts';
import { ungrouped } from './normal-form.ts';
import { lastRight, tupleItems } from './slots.ts';

/** Two statements, or two clauses (`else:`, `case …:`); a structural outcome names the innermost one of the head. */
export function diffStatement(base: PyNode, head: PyNode, files: Pair): Outcome {
  // Most pairs are the same text; what they mean is worked out for the others only.
  const isSameText = base.kind === head.kind && files.base.source(base) === files.head.source(head);
  if (isSameText || files.base.normal(base) === files.head.normal(head)) return SAME;
  if (base.kind !== head.kind) return locatedAt(head, UNCOUNTABLE);
  return locatedAt(head, diffSameKind(base, head, files));
}

function diffSameKind(base: PyNode, head: PyNode, files: Pair): Outcome {
  switch (head.kind) {
    case 'expression_statement': {
      const [left, ...moreLeft] = partsOf(base);
      const [right, ...moreRight] = partsOf(head);
      if (left === undefined || right === undefined || moreLeft.length + moreRight.length > 0)
        return diffChildren(base, head, files);
      // `f(),` makes a tuple of it.
      if (base.children.length !== head.children.length) return UNCOUNTABLE;
      return isAssignment(left) && left.kind === right.kind
        ? diffAssignment(left, right, files)
        : diffExpression(left, right, files);
    }
    case 'function_definition':
      return diffFunction(base, head, files);
    case 'class_definition':
      return diffClass(base, head, files);
    default:
      return diffChildren(base, head, files);
  }
}

function isAssignment(node: PyNode): boolean {
  return node.kind === 'assignment' || node.kind === 'augmented_assignment';
}

// Targets, annotation and operator must be the same; `A = B = 1` has one value.
function diffAssignment(base: PyNode, head: PyNode, files: Pair): Outcome {
  const value = lastRight(base);
  const headValue = lastRight(head);
  if (value === null || headValue === null) return UNCOUNTABLE;
  if (targetsOf(base, files.base.normal) !== targetsOf(head, files.head.normal)) return UNCOUNTABLE;
  const target = childIn(head, 'left');
  const targets = target === null ? null : tupleItems(target);
  const before = tupleItems(value);
  const after = tupleItems(headValue);
  if (targets === null || before?.length !== targets.length || after?.length !== targets.length)
    return diffValue(value, headValue, 'data', files);
  return together(
    before.map((left, at) => {
      const right = after[at];
      return right === undefined ? UNCOUNTABLE : diffValue(left, right, 'data', files);
    }),
  );
}

function targetsOf(assignment: PyNode, normal: (node: PyNode) => string): string {
  const right = childIn(assignment, 'right');
  const own = assignment.children
    .filter((child) => child !== right && child.kind !== 'comment' && child.kind !== 'line_continuation')
    .map((child) => (child.isNamed ? normal(ungrouped(child)) : child.kind))
    .join(' ');
  return right !== null && right.kind === 'assignment' ? `${own} ${targetsOf(right, normal)}` : own;
}

function diffFunction(base: PyNode, head: PyNode, files: Pair): Outcome {
  const parameters = childIn(base, 'parameters');
  const headParameters = childIn(head, 'parameters');
  const body = childIn(base, 'body');
  const headBody = childIn(head, 'body');
  if (parameters === null || headParameters === null || body === null || headBody === null)
    return UNCOUNTABLE;
  return together([
    diffHeader(base, head, files, ['parameters', 'body']),
    diffParameters(parameters, headParameters, files),
    files.block(body, headBody, 'inner'),
  ]);
}

function diffClass(base: PyNode, head: PyNode, files: Pair): Outcome {
  const given = superclassesOf(base);
  const headGiven = superclassesOf(head);
  const body = childIn(base, 'body');
  const headBody = childIn(head, 'body');
  if (body === null || headBody === null) return UNCOUNTABLE;
  return together([
    diffHeader(base, head, files, ['superclasses', 'body']),
    diffBases(given, headGiven, files),
    ...(given !== null && headGiven !== null ? [diffArguments(given, headGiven, files)] : []),
    ...((given === null) === (headGiven === null) ? [] : [UNCOUNTABLE]),
    files.block(body, headBody, 'class'),
  ]);
}

// What a class is made from is code, unless a call makes it.
function diffBases(base: PyNode | null, head: PyNode | null, files: Pair): Outcome {
  const basesOf = (given: PyNode | null, normal: (node: PyNode) => string): string =>
    (given === null ? [] : partsOf(given))
      .filter((part) => part.kind !== 'keyword_argument')
      .map((part) => (part.kind === 'call' ? 'call' : normal(part)))
      .join(' ');
  return basesOf(base, files.base.normal) === basesOf(head, files.head.normal) ? SAME : UNCOUNTABLE;
}

// `class A():` is `class A:`.
function superclassesOf(definition: PyNode): PyNode | null {
  const given = childIn(definition, 'superclasses');
  return given === null || partsOf(given).length === 0 ? null : given;
}

// Name, type parameters and return type are code: equal or structural.
function diffHeader(base: PyNode, head: PyNode, files: Pair, skip: readonly string[]): Outcome {
  const form = (node: PyNode, normal: (child: PyNode) => string): string =>
    node.children
      .filter((child) => child.kind !== 'comment' && (child.field === null || !skip.includes(child.field)))
      .map((child) => (child.isNamed ? normal(child) : child.kind))
      .join(' ');
  return form(base, files.base.normal) === form(head, files.head.normal) ? SAME : UNCOUNTABLE;
}
