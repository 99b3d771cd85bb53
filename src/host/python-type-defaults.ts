/**
 * Defaults of type parameters, `def f[T = int]()` (PEP 696, Python 3.13), which tree-sitter-python 0.25 does
 * not parse: they are blanked out before parsing, parsed by themselves, and put back into the tree afterwards.
 */

import type { PyNode } from '../domain/python-syntax.ts';

/** A default with its `=`, as offsets in the text. */
export type ErasedRange = { readonly start: number; readonly end: number };

const HEADER =
  /^[ \t\f]*(?:async[ \t]+)?(?:def|class|type)[ \t]+[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*[ \t]*\[/gmu;

/**
 * The text with every such default replaced by spaces of the same length (line breaks stay), and where they
 * were. A look-alike inside a string may be blanked as well: the caller uses this text only where the original
 * does not parse and this one does.
 */
export function eraseTypeDefaults(text: string): {
  readonly erased: string;
  readonly ranges: readonly ErasedRange[];
} {
  const ranges: ErasedRange[] = [];
  for (const match of text.matchAll(HEADER))
    ranges.push(...defaultsAfter(text, match.index + match[0].length));
  let erased = '';
  let from = 0;
  for (const { start, end } of ranges) {
    erased += text.slice(from, start) + text.slice(start, end).replace(/[^\r\n]/g, ' ');
    from = end;
  }
  return { erased: erased + text.slice(from), ranges };
}

/**
 * The tree with one `type_default` for each range, in the smallest node around it: the `=`, then the expression.
 * `parse` reads a text as an expression in parentheses, null where it is none.
 */
export function graftTypeDefaults(
  root: PyNode,
  ranges: readonly ErasedRange[],
  text: string,
  parse: (text: string) => PyNode | null,
): PyNode | null {
  let tree = root;
  for (const range of ranges) {
    // The parenthesis takes the place of the `=`, so that offsets only have to be shifted.
    const expression = parse(`(${text.slice(range.start + 1, range.end)})`);
    if (expression === null) return null;
    tree = graft(tree, typeDefault(range, text, expression));
  }
  return tree;
}

// Reads one bracketed list of type parameters: brackets nest, strings are stepped over, `==` cannot occur.
function defaultsAfter(text: string, from: number): ErasedRange[] {
  const ranges: ErasedRange[] = [];
  let depth = 1;
  let start: number | null = null;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") at = endOfString(text, at);
    else if (char === '#') at = endOfLine(text, at);
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === '=' && depth === 1 && start === null) start = at;
    if (start !== null && (depth === 0 || (char === ',' && depth === 1))) {
      ranges.push({ start, end: at });
      start = null;
    }
    if (depth === 0) return ranges;
  }
  return ranges;
}

function endOfString(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote || text.charAt(at) === '\n') return at;
  }
  return text.length;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function typeDefault(range: ErasedRange, text: string, expression: PyNode): PyNode {
  const lines = text.slice(0, range.start).split('\n');
  const line = lines.length;
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const place = { field: null, start: range.start, line, column, isError: false, isMissing: false };
  const sign: PyNode = { ...place, kind: '=', end: range.start + 1, children: [], isNamed: false };
  const value = shifted(expression, range.start, line, column);
  return { ...place, kind: 'type_default', end: value.end, children: [sign, value], isNamed: true };
}

function shifted(node: PyNode, offset: number, line: number, column: number): PyNode {
  return {
    ...node,
    start: node.start + offset,
    end: node.end + offset,
    line: node.line + line - 1,
    column: node.line === 1 ? node.column + column - 1 : node.column,
    children: node.children.map((child) => shifted(child, offset, line, column)),
  };
}

function graft(node: PyNode, leaf: PyNode): PyNode {
  const inner = node.children.findIndex((child) => child.start <= leaf.start && leaf.end <= child.end);
  if (inner !== -1)
    return {
      ...node,
      children: node.children.map((child, index) => (index === inner ? graft(child, leaf) : child)),
    };
  const before = node.children.filter((child) => child.end <= leaf.start);
  return { ...node, children: [...before, leaf, ...node.children.slice(before.length)] };
}
