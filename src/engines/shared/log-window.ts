/** The part of a log that is in memory, by its places in the whole, and chunks of it. */

import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { completeUtf8Length } from '../../host/utf8-boundary.ts';
import { utf8Only } from '../../host/utf8-only.ts';

/** What stays in memory of a log that was handed on: the unfinished line is asked for again (logLineCharsMax, in UTF-8). */
const LOOKBACK_BYTES = 64 * 1024;

/** `bytes` begin at `offset`; `isAll`: the log has no more than these. */
export function chunkOf(bytes: Uint8Array, offset: number, isAll: boolean): LogRead {
  const piece = bytes.subarray(0, limits.logChunkBytesMax);
  const text = piece.subarray(0, completeUtf8Length(piece));
  const atEnd = isAll && piece.length === bytes.length;
  return { kind: 'chunk', bytes: utf8Only(text), offset, nextOffset: offset + text.length, atEnd };
}

export class LogWindow {
  private parts: Uint8Array[] = [];
  private length = 0;
  private from: number;

  /** An empty one at this place of the log. */
  constructor(start = 0) {
    this.from = start;
  }

  get start(): number {
    return this.from;
  }

  get end(): number {
    return this.from + this.length;
  }

  append(bytes: Uint8Array): void {
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  /** A chunk from a place within the window; what lies far enough before its end is let go. */
  chunk(offset: number, isAll: boolean): LogRead {
    const read = chunkOf(this.whole().subarray(offset - this.from), offset, isAll);
    if (read.kind === 'chunk') this.forget(read.nextOffset);
    return read;
  }

  /** Lets go of what lies far enough before that place. */
  forget(place: number): void {
    const from = Math.max(this.from, place - LOOKBACK_BYTES);
    const kept = Buffer.from(this.whole().subarray(from - this.from));
    this.parts = [kept];
    this.length = kept.length;
    this.from = from;
  }

  private whole(): Buffer {
    return Buffer.concat(this.parts);
  }
}
