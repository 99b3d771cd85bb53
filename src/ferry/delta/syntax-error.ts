/** Whether CPython 3.14 would compile a file, and if not, where and why. */

import type { PyNode, PySyntax } from '../../domain/python-syntax.ts';

export type PySyntaxError = { readonly line: number; readonly message: string };

/** The first error, or null. */
export function findSyntaxError(syntax: PySyntax): PySyntaxError | null {
  if (syntax.refusal !== null) return syntax.refusal;
  return firstError(syntax.root);
}

function firstError(node: PyNode): PySyntaxError | null {
  if (node.isError || node.isMissing) return { line: node.line, message: 'invalid syntax' };
  for (const child of node.children) {
    const error = firstError(child);
    if (error !== null) return error;
  }
  return null;
}
