/** Where things stand in a YAML text: path → line and column, and offset → path. */

import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import type { KeyPath } from '../settings/problem.ts';

/** 1-based. */
export type Place = { readonly line: number; readonly column: number };

/** The place of an offset. */
export function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The place of a key or list item; of the nearest one above it where it is not written. */
export function placeOf(root: unknown, path: KeyPath, lines: LineCounter): Place {
  let node: unknown = root;
  let best: Place = { line: 1, column: 1 };
  for (const part of path) {
    const found = childOf(node, part);
    if (found === null) return best;
    best = placeAt(lines, found.offset);
    node = found.value;
  }
  return best;
}

/** The path of the innermost key or item whose text holds the offset. */
export function pathAt(root: unknown, offset: number): KeyPath {
  const path: (string | number)[] = [];
  let node: unknown = root;
  for (;;) {
    const inside = innerAt(node, offset);
    if (inside === null) return path;
    path.push(inside.part);
    node = inside.value;
  }
}

/** Offset of a node in the text. */
export function offsetOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

function innerAt(
  node: unknown,
  offset: number,
): { readonly part: string | number; readonly value: unknown } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key, value }) => offsetOf(key) <= offset && offset < endOf(value ?? key));
    return pair !== undefined && isScalar(pair.key)
      ? { part: String(pair.key.value), value: pair.value }
      : null;
  }
  if (!isSeq(node)) return null;
  const index = node.items.findIndex((item) => offsetOf(item) <= offset && offset < endOf(item));
  return index < 0 ? null : { part: index, value: node.items[index] };
}

function endOf(node: unknown): number {
  return rangeOf(node)?.[1] ?? 0;
}

function childOf(
  node: unknown,
  part: string | number,
): { readonly value: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    return pair === undefined ? null : { value: pair.value, offset: offsetOf(pair.key) };
  }
  if (!isSeq(node) || typeof part !== 'number') return null;
  const item = node.items[part];
  return item === undefined ? null : { value: item, offset: offsetOf(item) };
}

/** Start and end of a node's own text; yaml leaves it out of nodes that nobody wrote. */
function rangeOf(node: unknown): readonly [number, number] | null {
  // Items of a parsed document are nodes or null; their type is lost in yaml's `unknown`.
  const range = (node as Node | null)?.range;
  return range === undefined || range === null ? null : [range[0], range[1]];
}
