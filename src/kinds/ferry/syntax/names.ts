/** Which words may be names. */

import type { PyNode } from '../../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';
import { faultAt, parentIn, type Rule } from './fault.ts';

const KEYWORDS: ReadonlySet<string> = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global
   if import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** A keyword is no name, wherever tree-sitter took it for one (language reference, section 2.3.1). */
export const nameIsNoKeyword: Rule = (node, { text }) =>
  KEYWORDS.has(text.slice(node.start, node.end)) ? faultAt(node, 'invalid syntax') : null;

/** `__debug__` is a constant: it is never bound, deleted or passed by keyword. */
export const debugIsNotBound: Rule = (node, around) => {
  if (nameOf(node, around.text) !== '__debug__') return null;
  const parent = parentIn(around);
  return parent !== null && binds(node, parent, around.ancestors)
    ? faultAt(node, 'cannot assign to __debug__')
    : null;
};

const BINDING_FIELDS: ReadonlySet<string> = new Set(['left', 'name', 'alias']);
const BINDING_PARENTS = /pattern$|parameter|_clause$|^del|^aliased|target$/;
const GROUPS =
  /^(?:tuple|list|pattern_list|tuple_pattern|list_pattern|expression_list|parenthesized_expression|list_splat)$/;

// From the name outwards through what only groups targets, to the place that binds or does not.
function binds(node: PyNode, parent: PyNode, ancestors: readonly PyNode[]): boolean {
  if (node.field !== 'attribute' && parent.kind === 'attribute') return false;
  if (parent.field === 'module_name') return false;
  if (parent.kind === 'dotted_name') return ancestors.at(-2)?.kind.startsWith('import') === true;
  const chain = [node, ...ancestors.toReversed()];
  const from = parent.kind === 'attribute' ? 1 : 0;
  const at = chain.findIndex((one, index) => index > from && !GROUPS.test(one.kind));
  const place = chain[at];
  const inner = chain[at - 1];
  if (place === undefined || inner === undefined) return false;
  if (inner.field !== null) return BINDING_FIELDS.has(inner.field) && !place.kind.endsWith('_operator');
  return BINDING_PARENTS.test(place.kind);
}
