/**
 * Defaults of type parameters, `def f[T = int]()` (PEP 696, Python 3.13), which tree-sitter-python 0.25 does
 * not parse: they are blanked out before parsing and put back into the tree as leaves afterwards.
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

/** The tree with one `type_default` leaf for each range, in the smallest node around it. */
export function graftTypeDefaults(root: PyNode, ranges: readonly ErasedRange[], text: string): PyNode {
  return ranges.reduce<PyNode>((tree, range) => graft(tree, range, text), root);
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

function graft(node: PyNode, range: ErasedRange, text: string): PyNode {
  const inner = node.children.findIndex((child) => child.start <= range.start && range.end <= child.end);
  if (inner !== -1)
    return {
      ...node,
      children: node.children.map((child, index) => (index === inner ? graft(child, range, text) : child)),
    };
  const before = node.children.filter((child) => child.end <= range.start);
  const lines = text.slice(0, range.start).split('\n');
  const leaf: PyNode = {
    kind: 'type_default',
    field: null,
    start: range.start,
    end: range.end,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    children: [],
    isNamed: true,
    isError: false,
    isMissing: false,
  };
  return { ...node, children: [...before, leaf, ...node.children.slice(before.length)] };
}
