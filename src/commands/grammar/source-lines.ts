/** Lines and columns of offsets. */

import type { Place } from './reading.ts';

// CommonMark's line endings.
const LINE_ENDING = /\r\n|\n|\r/g;
const END = /[\r\n]/g;

/** Returns a lookup from offset to line and column, both from 1. */
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

/** Offset of the line's first character. */
export function startOfLine(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** Before the line ending. */
export function endOfLine(text: string, at: number): number {
  END.lastIndex = at;
  return END.exec(text)?.index ?? text.length;
}
