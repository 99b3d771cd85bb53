/** What a rule of the language finds wrong, and how a rule looks at a node. */

import type { PyNode } from '../../../domain/python-syntax.ts';

/** An error as `compile()` would tell it; the line is 1-based. */
export type PySyntaxError = { readonly line: number; readonly message: string };

/** The text, and the nodes around the one that is looked at, outermost first. */
export type Surroundings = { readonly text: string; readonly ancestors: readonly PyNode[] };

/** Looks at one node; null where it is fine. */
export type Rule = (node: PyNode, around: Surroundings) => PySyntaxError | null;

/** An error at a node. */
export function faultAt(node: PyNode, message: string): PySyntaxError {
  return { line: node.line, message };
}

/** The first error that any of the rules finds. */
export function firstFault(checks: Iterable<PySyntaxError | null>): PySyntaxError | null {
  for (const fault of checks) if (fault !== null) return fault;
  return null;
}

/** The node around, or null for the module. */
export function parentIn(around: Surroundings, levels = 1): PyNode | null {
  return around.ancestors.at(-levels) ?? null;
}

/** Whether a token stands among a node's children. */
export function hasToken(node: PyNode, token: string): boolean {
  return node.children.some((child) => !child.isNamed && child.kind === token);
}
