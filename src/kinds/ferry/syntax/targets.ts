/** What may be assigned to, deleted or bound (language reference, section 7.2; CPython's grammar, `star_targets` and kin). */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { ungrouped } from '../delta/normal-form.ts';
import { isInGenericBases } from './context.ts';
import { faultAt, firstFault, hasToken, type PySyntaxError, parentIn, type Rule } from './fault.ts';

const SEQUENCES: ReadonlySet<string> = new Set([
  'tuple',
  'list',
  'tuple_pattern',
  'list_pattern',
  'pattern_list',
  'expression_list',
]);
const SINGLES: ReadonlySet<string> = new Set(['identifier', 'attribute', 'subscript']);

/** `a = …`, `a: int = …` and chains of the first. */
export const assignmentIsLegal: Rule = (node) => {
  const left = childIn(node, 'left');
  const right = childIn(node, 'right');
  if (left === null) return faultAt(node, 'invalid syntax');
  const hasType = childIn(node, 'type') !== null;
  if (hasType && !SINGLES.has(ungrouped(left).kind))
    return faultAt(left, 'only single target (not tuple or list) can be annotated');
  if (right?.kind === 'augmented_assignment') return faultAt(right, 'invalid syntax');
  if (right?.kind === 'assignment' && (hasType || childIn(right, 'type') !== null))
    return faultAt(right, 'invalid syntax');
  return targetError(left, true);
};

/** `a += …`: one target, and no chain. */
export const augmentedIsLegal: Rule = (node) => {
  const left = childIn(node, 'left');
  const right = childIn(node, 'right');
  if (left === null || !SINGLES.has(ungrouped(left).kind))
    return faultAt(node, 'illegal target for augmented assignment');
  return right?.kind === 'assignment' || right?.kind === 'augmented_assignment'
    ? faultAt(right, 'invalid syntax')
    : null;
};

/** `for a in …`, in a statement and in a comprehension. */
export const loopTargetIsLegal: Rule = (node) => {
  const left = childIn(node, 'left');
  return left === null ? faultAt(node, 'invalid syntax') : targetError(left, true);
};

/** `del a, b[0]`. */
export const deletionIsLegal: Rule = (node) => firstFault(partsOf(node).map((part) => deletionError(part)));

/** `as` stands only in a with statement and in an except clause. */
export const asIsLegal: Rule = (node, around) => {
  const parent = parentIn(around);
  const alias = childIn(node, 'alias');
  if (alias === null || parent === null) return null;
  const target = partsOf(alias)[0] ?? alias;
  if (parent.kind === 'except_clause')
    return target.kind === 'identifier'
      ? null
      : faultAt(node, 'cannot use except statement with this target');
  if (!isWithItem(around.ancestors)) return faultAt(node, 'invalid syntax');
  return targetError(target, false);
};

/** `(a := …)`: only where an expression stands by itself. */
export const walrusIsLegal: Rule = (node, around) => {
  const parent = parentIn(around);
  const type = around.ancestors.findLastIndex((outer) => /^type(?:_default)?$/.test(outer.kind));
  if (type !== -1 && !around.ancestors.slice(type).some((outer) => outer.kind === 'lambda'))
    return faultAt(node, 'named expression cannot be used within an annotation');
  if (isInGenericBases(node, around.ancestors))
    return faultAt(node, 'named expression cannot be used within the definition of a generic');
  return parent !== null && WALRUS_PARENTS.has(parent.kind) && !isKeyOrValue(node, parent)
    ? null
    : faultAt(node, 'invalid syntax');
};

const WALRUS_PARENTS: ReadonlySet<string> = new Set([
  ...[
    'parenthesized_expression',
    'argument_list',
    'list',
    'set',
    'tuple',
    'subscript',
    'decorator',
    'if_clause',
  ],
  ...['if_statement', 'elif_clause', 'while_statement', 'match_statement'],
  ...['list_comprehension', 'set_comprehension', 'generator_expression'],
  // In `{x:=10}` of a string it is no walrus: the equals sign begins the format.
  ...['interpolation', 'format_expression'],
]);

// A guard may have one, the condition of a comprehension may not; the rule of comprehensions tells them apart.
function isKeyOrValue(node: PyNode, parent: PyNode): boolean {
  return parent.kind === 'subscript' && childIn(parent, 'value') === node;
}

// `with a as b`, or the same in one pair of parentheses around all items.
function isWithItem(ancestors: readonly PyNode[]): boolean {
  const item = ancestors.findLast((outer) => outer.kind === 'with_item');
  if (item === undefined) return false;
  const between = ancestors.slice(ancestors.indexOf(item) + 1);
  if (between.length === 0) return true;
  const clause = ancestors[ancestors.indexOf(item) - 1];
  const isOnly = clause !== undefined && partsOf(clause).length === 1 && !hasToken(clause, '(');
  const [group] = between;
  return (
    isOnly && between.length === 1 && (group?.kind === 'tuple' || group?.kind === 'parenthesized_expression')
  );
}

function targetError(outer: PyNode, isTop: boolean): PySyntaxError | null {
  const node = ungrouped(outer);
  if (SINGLES.has(node.kind)) return null;
  if (node.kind.startsWith('list_splat')) {
    if (node !== outer) return faultAt(node, 'cannot use starred expression here');
    if (isTop) return faultAt(node, 'starred assignment target must be in a list or tuple');
    const [inner] = partsOf(node);
    return inner === undefined || inner.kind.startsWith('list_splat')
      ? faultAt(node, 'cannot assign to starred')
      : targetError(inner, false);
  }
  if (!SEQUENCES.has(node.kind)) return faultAt(node, `cannot assign to ${node.kind.replaceAll('_', ' ')}`);
  const items = partsOf(node);
  if (items.filter((item) => item.kind.startsWith('list_splat')).length > 1)
    return faultAt(node, 'multiple starred expressions in assignment');
  return firstFault(items.map((item) => targetError(item, false)));
}

function deletionError(outer: PyNode): PySyntaxError | null {
  const node = ungrouped(outer);
  if (SINGLES.has(node.kind)) return null;
  if (!SEQUENCES.has(node.kind)) return faultAt(node, `cannot delete ${node.kind.replaceAll('_', ' ')}`);
  return firstFault(partsOf(node).map(deletionError));
}
