/**
 * The comma in `except A, B,:`, which is legal since Python 3.14 (PEP 758) and which tree-sitter-python 0.25 does not
 * parse: blanked out before parsing and put back into the tree afterwards.
 */

import type { PyNode } from '../domain/python-syntax.ts';

const CLAUSE = /^([ \t\f]*except\b(?!.*\bas\b)[^\r\n\u2028\u2029#]*[^\s,#][ \t]*),(?=[ \t]*:)/gm;

/** The text with every such comma replaced by a space, and where they were. */
export function eraseExceptCommas(text: string): {
  readonly erased: string;
  readonly commas: readonly number[];
} {
  const commas = Array.from(text.matchAll(CLAUSE), (match) => match.index + match[0].length - 1);
  const signs = [...commas].reduce((whole, at) => `${whole.slice(0, at)} ${whole.slice(at + 1)}`, text);
  return { erased: signs, commas };
}

/** The tree with the commas in their clauses. */
export function graftExceptCommas(node: PyNode, commas: readonly number[]): PyNode {
  const own = commas.filter((at) => node.start <= at && at < node.end);
  if (own.length === 0) return node;
  const children = node.children.map((child) => graftExceptCommas(child, own));
  const [at] = own;
  if (node.kind !== 'except_clause' || at === undefined) return { ...node, children };
  const before = children.filter((child) => child.end <= at);
  const last = before.at(-1);
  const isHere = last !== undefined && children[before.length]?.kind === ':';
  return isHere
    ? { ...node, children: [...before, comma(at, last), ...children.slice(before.length)] }
    : { ...node, children };
}

function comma(at: number, last: PyNode): PyNode {
  const place = { field: null, start: at, end: at + 1, line: last.line, column: last.column };
  return { ...place, kind: ',', children: [], isNamed: false, isError: false, isMissing: false };
}
