/**
 * Puts right how tree-sitter-python 0.25 reads a name behind a condition or a lambda: in `with a if b else c as d` it
 * takes `c as d` for the innermost part. The name belongs to all of `a if b else c`.
 */

import type { PyNode } from '../domain/python-syntax.ts';
import { withChildren } from './python-children.ts';

/** The tree with every such name around the whole expression. Nodes without one stay the same objects. */
export function widenAsPatterns(node: PyNode): PyNode {
  const own = withChildren(node, widenAsPatterns);
  const last = own.children.at(-1);
  if ((own.kind !== 'conditional_expression' && own.kind !== 'lambda') || last?.kind !== 'as_pattern')
    return own;
  const [value, ...name] = last.children;
  if (value === undefined) return own;
  const inner: PyNode = {
    ...own,
    field: null,
    end: value.end,
    children: [...own.children.slice(0, -1), { ...value, field: last.field }],
  };
  return { ...own, kind: 'as_pattern', children: [inner, ...name] };
}
