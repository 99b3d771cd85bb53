/** The line diff of one file as GitHub shows it: hunks with three lines of context, and the counts. */

import { diffArrays } from 'diff';
import { git as limits } from '../../limits/limits.ts';

export type LinePatch = { readonly additions: number; readonly deletions: number; readonly patch: string | null };

/**
 * A shortest edit between two contents in unified form without file header. Binary content (a NUL in its first 8,000
 * bytes, git's rule) and equal contents have no patch and no counts.
 */
export function linePatch(before: Uint8Array, after: Uint8Array): LinePatch {
  if (isBinary(before) || isBinary(after)) return { additions: 0, deletions: 0, patch: null };
  const oldLines = splitLines(before);
  const edits = editScript(oldLines, splitLines(after));
  const hunks = splitHunks(edits).map((hunk) => printHunk(hunk, oldLines));
  return {
    additions: edits.filter(({ sign }) => sign === '+').length,
    deletions: edits.filter(({ sign }) => sign === '-').length,
    patch: hunks.length === 0 ? null : Buffer.from(hunks.join(''), 'latin1').toString('utf8').replace(/\n$/, ''),
  };
}

type Edit = {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
  /** Number of lines in the old and the new file before this one. */
  readonly oldBefore: number;
  readonly newBefore: number;
};

const contextLines = 3;

// Bytes as latin1, so that content in any encoding is compared exactly and decoded once at the end.
function splitLines(content: Uint8Array): readonly string[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, 8000).includes(0);
}

type Run = { readonly removed: boolean; readonly added: boolean; readonly value: readonly string[] };

/**
 * Equal, removed and added lines in order. A common start and end are cut off first: this is faster, and git does it
 * too.
 */
function diffRuns(oldLines: readonly string[], newLines: readonly string[]): readonly Run[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1;
  const oldMiddle = oldLines.slice(head, oldLines.length - tail);
  const newMiddle = newLines.slice(head, newLines.length - tail);
  const equal = { removed: false, added: false };
  return [
    { ...equal, value: oldLines.slice(0, head) },
    ...(diffArrays(oldMiddle, newMiddle, { maxEditLength: limits.diffEditLines }) ?? [
      { removed: true, added: false, value: oldMiddle },
      { removed: false, added: true, value: newMiddle },
    ]),
    { ...equal, value: oldLines.slice(oldLines.length - tail) },
  ];
}

/** Every line of both files in order. Within one change, removed lines come before added ones, as in git's output. */
function editScript(oldLines: readonly string[], newLines: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [oldBefore, newBefore] = [0, 0];
  let waiting: string[] = [];
  const flush = (): void => {
    for (const line of waiting) edits.push({ sign: '+', line, oldBefore, newBefore: newBefore++ });
    waiting = [];
  };
  for (const { added, removed, value } of diffRuns(oldLines, newLines)) {
    // Not `push(...)`: a file of a hundred thousand lines would become as many arguments.
    if (added) waiting = waiting.concat(value);
    else if (removed) for (const line of value) edits.push({ sign: '-', line, oldBefore: oldBefore++, newBefore });
    else {
      flush();
      for (const line of value) edits.push({ sign: ' ', line, oldBefore: oldBefore++, newBefore: newBefore++ });
    }
  }
  flush();
  return edits;
}

/** Changes that are at most twice the context apart share a hunk. */
function splitHunks(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const ranges: { start: number; end: number }[] = [];
  for (const [index, { sign }] of edits.entries()) {
    if (sign === ' ') continue;
    const last = ranges.at(-1);
    const start = Math.max(0, index - contextLines);
    const end = Math.min(edits.length, index + contextLines + 1);
    if (last !== undefined && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges.map(({ start, end }) => edits.slice(start, end));
}

function printHunk(hunk: readonly Edit[], oldLines: readonly string[]): string {
  const first = hunk[0];
  if (first === undefined) return '';
  const oldRange = printRange(first.oldBefore, hunk.filter(({ sign }) => sign !== '+').length);
  const newRange = printRange(first.newBefore, hunk.filter(({ sign }) => sign !== '-').length);
  const lines = hunk.map(({ sign, line }) =>
    line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${oldRange} +${newRange} @@${sectionHeading(oldLines, first.oldBefore)}\n${lines.join('')}`;
}

function printRange(before: number, count: number): string {
  if (count === 0) return `${before},0`;
  return count === 1 ? `${before + 1}` : `${before + 1},${count}`;
}

/**
 * The nearest line above the hunk that starts with a letter, `_` or `$`: git's simple guess at the enclosing function.
 */
function sectionHeading(oldLines: readonly string[], before: number): string {
  const heading = oldLines.slice(0, before).findLast((line) => /^[A-Za-z_$]/.test(line));
  return heading === undefined ? '' : ` ${heading.slice(0, 80).trimEnd()}`;
}
