/** Finds the changed part of a line: where a removed line and the added line in its place differ. */
import type { DiffRow } from './parse-patch.ts';

/** The range of characters (UTF-16 units) in which the line differs from its counterpart. */
export type ChangedPart = { readonly from: number; readonly until: number };

/**
 * Only for a block with as many added as removed lines, as on GitHub: they are paired in order. Lines with almost
 * nothing in common get no marked part.
 */
export function changedParts(rows: readonly DiffRow[]): ReadonlyMap<number, ChangedPart> {
  const parts = new Map<number, ChangedPart>();
  for (let index = 0; index < rows.length; ) {
    const removed = findRun(rows, index, 'removed');
    const added = findRun(rows, index + removed, 'added');
    if (removed > 0 && removed === added)
      for (let line = index; line < index + removed; line += 1) compareLines(rows, line, line + removed, parts);
    index += Math.max(1, removed + added);
  }
  return parts;
}

function findRun(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let count = 0;
  while (rows[from + count]?.kind === kind) count += 1;
  return count;
}

function compareLines(rows: readonly DiffRow[], before: number, after: number, parts: Map<number, ChangedPart>): void {
  const [old, now] = [rows[before]?.text ?? '', rows[after]?.text ?? ''];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const inCommon = old.slice(0, head).trim().length + old.slice(old.length - tail).trim().length;
  if (inCommon < Math.max(old.trim().length, now.trim().length) / 3) return;
  parts.set(before, wholeCharacters(old, head, old.length - tail));
  parts.set(after, wholeCharacters(now, head, now.length - tail));
}

/** Marks words and numbers as a whole: `3e-3` became `2.5e-3`, not `3` became `2.5`. */
function wholeCharacters(text: string, from: number, until: number): ChangedPart {
  let [start, end] = [from, until];
  const isWord = (index: number): boolean => /[\p{L}\p{N}_.\-\uD800-\uDFFF]/u.test(text[index] ?? '');
  while (start > 0 && isWord(start - 1) && isWord(start)) start -= 1;
  while (end < text.length && end > 0 && isWord(end - 1) && isWord(end)) end += 1;
  return { from: start, until: end };
}
