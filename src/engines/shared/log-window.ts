/** The part of a log that is in memory, by its places in the whole, and chunks of it. */

import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { completeUtf8Length, utf8Only } from '../../host/files.ts';

/** What stays in memory of a log that was handed on: the unfinished line is asked for again (logLineCharsMax, in UTF-8). */
const LOOKBACK_BYTES = 64 * 1024;

/** `bytes` begin at `offset`; `isAll`: the log has no more than these. */
export function chunkOf(bytes: Uint8Array, offset: number, isAll: boolean): LogRead {
  const piece = bytes.subarray(0, limits.logChunkBytesMax);
  const text = piece.subarray(0, completeUtf8Length(piece));
  const atEnd = isAll && piece.length === bytes.length;
  return { kind: 'chunk', bytes: utf8Only(text), offset, nextOffset: offset + text.length, atEnd };
}

export type LogWindow = {
  readonly start: () => number;
  readonly end: () => number;
  readonly add: (bytes: Uint8Array) => void;
  /** A chunk from a place within the window; what lies far enough before its end is let go. */
  readonly chunk: (offset: number, isAll: boolean) => LogRead;
  /** Lets go of what lies far enough before that place. */
  readonly forget: (place: number) => void;
};

/** An empty window at this place of the log. */
export function createLogWindow(start = 0): LogWindow {
  let parts: Uint8Array[] = [];
  let length = 0;
  let from = start;
  const forget = (place: number): void => {
    const kept = Math.max(from, place - LOOKBACK_BYTES);
    const rest = Buffer.from(Buffer.concat(parts).subarray(kept - from));
    parts = [rest];
    length = rest.length;
    from = kept;
  };
  return {
    start: () => from,
    end: () => from + length,
    add: (bytes) => {
      parts.push(bytes);
      length += bytes.length;
    },
    chunk: (offset, isAll) => {
      const read = chunkOf(Buffer.concat(parts).subarray(offset - from), offset, isAll);
      if (read.kind === 'chunk') forget(read.nextOffset);
      return read;
    },
    forget,
  };
}
