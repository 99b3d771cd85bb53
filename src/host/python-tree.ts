/** Turns tree-sitter's tree into ours, without recursion and within limits. */

import type { Language, Tree } from 'web-tree-sitter';
import type { PyNode, PyRefusal } from '../domain/python-syntax.ts';

/** Deeper nesting than CPython's own parser takes in practice; the core recurses once or twice a level. */
export const PYTHON_DEPTH_MAX = 1_000;

export type ConvertedTree =
  | { readonly kind: 'tree'; readonly root: PyNode }
  | { readonly kind: 'refused'; readonly refusal: PyRefusal };

// tree-sitter gives every error node this id, in every grammar.
const ERROR_KIND_ID = 65_535;

/** Our tree for a whole text. Refused: nested deeper than any experiment file, which the core's recursion relies on. */
export function convertTree(tree: Tree, language: Language, text: string): ConvertedTree {
  const named = language.types.map((_, id) => language.nodeTypeIsNamed(id));
  const places = placesIn(text);
  const cursor = tree.walk();
  const open: { node: PyNode; children: PyNode[] }[] = [];
  try {
    for (;;) {
      const entered = read();
      const parent = open.at(-1);
      parent?.children.push(entered.node);
      if (open.length > PYTHON_DEPTH_MAX)
        return {
          kind: 'refused',
          refusal: { line: entered.node.line, message: `nested deeper than ${PYTHON_DEPTH_MAX} levels` },
        };
      if (cursor.gotoFirstChild()) {
        open.push(entered);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        const done = open.pop();
        if (!cursor.gotoParent() || done === undefined || open.length === 0)
          return { kind: 'tree', root: done?.node ?? entered.node };
      }
    }
  } finally {
    cursor.delete();
  }

  function read(): { node: PyNode; children: PyNode[] } {
    const kindId = cursor.nodeTypeId;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const fieldId = cursor.currentFieldId;
    const place = places(start);
    const children: PyNode[] = [];
    const node: PyNode = {
      kind: kindId === ERROR_KIND_ID ? 'ERROR' : (language.types[kindId] ?? 'ERROR'),
      field: fieldId === 0 ? null : (language.fields[fieldId] ?? null),
      start,
      end,
      line: place.line,
      column: place.column,
      children,
      isNamed: kindId === ERROR_KIND_ID || named[kindId] === true,
      isError: kindId === ERROR_KIND_ID,
      isMissing: start === end && cursor.nodeIsMissing,
    };
    return { node, children };
  }
}

/** Line and column of offsets that are asked for in rising order. */
function placesIn(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  let nextBreak = text.indexOf('\n');
  return (offset) => {
    while (nextBreak !== -1 && nextBreak < offset) {
      line += 1;
      lineStart = nextBreak + 1;
      nextBreak = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}
