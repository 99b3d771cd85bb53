/** From an offset in the comment to the line and column that a person counts. */

import type { Place } from './reading.ts';

// As in CommonMark, LF, CR LF and CR end a line, and nothing else does.
const LINE_ENDING = /\r\n|\n|\r/g;
const END = /[\r\n]/g;

/** Prepares the lookup of line and column, both from 1, by offset. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0, ...Array.from(text.matchAll(LINE_ENDING), (match) => match.index + match[0].length)];
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Where the line of `at` starts. */
export function startOfLine(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** Where the line of `at` ends, before its line ending. */
export function endOfLine(text: string, at: number): number {
  END.lastIndex = at;
  return END.exec(text)?.index ?? text.length;
}
