/** In which function, loop and comprehension a node stands. */

import type { PyNode } from '../../../domain/python-syntax.ts';

export type ScopeKind = 'module' | 'class' | 'function' | 'async' | 'lambda' | 'generator' | 'comprehension';

/** A scope around a node; `node` null is the module. `index` is its place among the ancestors. */
export type EnclosingScope = {
  readonly kind: ScopeKind;
  readonly node: PyNode | null;
  readonly index: number;
};

const COMPREHENSIONS: ReadonlySet<string> = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
]);

/**
 * The innermost scope that a node is evaluated in: defaults, decorators and a first iterable belong to the outer one.
 * `below` asks from one of the ancestors instead, for the scope around it.
 */
export function scopeOf(
  node: PyNode,
  ancestors: readonly PyNode[],
  below = ancestors.length,
): EnclosingScope {
  for (let index = below - 1; index >= 0; index -= 1) {
    const outer = ancestors[index];
    const inner = ancestors[index + 1] ?? node;
    const kind = outer === undefined ? null : scopeKind(outer, inner, ancestors[index + 2] ?? node);
    if (kind !== null && outer !== undefined) return { kind, node: outer, index };
  }
  return { kind: 'module', node: null, index: -1 };
}

/** The innermost function, lambda, class or module: comprehensions are looked through. */
export function bodyScopeOf(node: PyNode, ancestors: readonly PyNode[]): EnclosingScope {
  let scope = scopeOf(node, ancestors);
  while (scope.kind === 'generator' || scope.kind === 'comprehension')
    scope = scopeOf(node, ancestors, scope.index);
  return scope;
}

function scopeKind(outer: PyNode, inner: PyNode, second: PyNode): ScopeKind | null {
  switch (outer.kind) {
    case 'function_definition':
      if (inner.field !== 'body') return null;
      return outer.children[0]?.kind === 'async' ? 'async' : 'function';
    case 'class_definition':
      return inner.field === 'body' ? 'class' : null;
    case 'lambda':
      return inner.field === 'body' ? 'lambda' : null;
    default: {
      const isGenerator = outer.kind === 'generator_expression';
      if (!isGenerator && !COMPREHENSIONS.has(outer.kind)) return null;
      const first = outer.children.find((child) => child.kind === 'for_in_clause');
      if (inner === first && second.field === 'right') return null;
      return isGenerator ? 'generator' : 'comprehension';
    }
  }
}

/**
 * Whether a node stands among the bases of a generic class, where nothing is assigned, awaited or yielded (PEP 695). A
 * lambda there is its own world.
 */
export function isInGenericBases(node: PyNode, ancestors: readonly PyNode[]): boolean {
  const chain = [...ancestors, node];
  const at = chain.findLastIndex(
    (outer, index) => outer.kind === 'class_definition' && chain[index + 1]?.field === 'superclasses',
  );
  const isGeneric = chain[at]?.children.some((child) => child.field === 'type_parameters') === true;
  return isGeneric && !chain.slice(at).some((outer) => outer.kind === 'lambda');
}
