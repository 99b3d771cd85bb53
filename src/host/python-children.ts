/** A node with other children: the same object where none of them changes, as nearly all do not. */

import type { PyNode } from '../domain/python-syntax.ts';

/** The node with each child replaced by what `change` makes of it; the node itself where that changes none. */
export function withChildren(node: PyNode, change: (child: PyNode) => PyNode): PyNode {
  let children: PyNode[] | null = null;
  for (const [at, child] of node.children.entries()) {
    const changed = change(child);
    if (children === null && changed === child) continue;
    children ??= node.children.slice(0, at);
    children.push(changed);
  }
  return children === null ? node : { ...node, children };
}
