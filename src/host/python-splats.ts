/**
 * Puts right how tree-sitter-python 0.25 sometimes reads a starred expression: in `f(a, *b.c())` it takes `*b` for the
 * innermost part, as if `(*b).c()` stood there. The star belongs to all of `b.c()`.
 */

import type { PyNode } from '../domain/python-syntax.ts';
import { withChildren } from './python-children.ts';

const CHAINS: ReadonlySet<string> = new Set([
  'attribute',
  'call',
  'subscript',
  'binary_operator',
  'comparison_operator',
  'boolean_operator',
  'conditional_expression',
]);

/** The tree with every star around the whole expression that it expands. Nodes without such a star stay the same objects. */
export function widenSplats(node: PyNode): PyNode {
  const own = withChildren(node, widenSplats);
  const [first, ...rest] = own.children;
  if (!CHAINS.has(own.kind) || first?.kind !== 'list_splat') return own;
  const [star, ...inner] = first.children;
  const [operand] = inner;
  if (star === undefined || operand === undefined || inner.length !== 1) return own;
  const chain: PyNode = {
    ...own,
    field: null,
    start: operand.start,
    line: operand.line,
    column: operand.column,
    children: [{ ...operand, field: first.field }, ...rest],
  };
  return { ...own, kind: 'list_splat', children: [star, chain] };
}
