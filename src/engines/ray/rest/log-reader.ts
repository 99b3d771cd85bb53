/** Reads one job's log on from any offset: each byte is handed on once, whatever the transport sends again. */

import type { LogRead } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { completeUtf8Length } from '../../../host/utf8-boundary.ts';
import type { RestSettings } from './ask.ts';
import { type LogPiece, type LogSource, RAY_LOG_CHUNK_MS, tailedLog, wholeLog } from './log-source.ts';

/** A socket that fails so often for a job is not opened again: a proxy that knows no WebSocket, or lines too long. */
export const RAY_TAIL_TRIES_MAX = 3;
/** Tries of one read for the whole log. */
const RAY_LOG_TRIES_MAX = 2;
/** What stays in memory of a log that was handed on: the unfinished line is asked for again (logLineCharsMax, in UTF-8). */
const RAY_LOG_LOOKBACK_BYTES = 64 * 1024;

export type LogReader = {
  /** Offsets are bytes of the log as UTF-8. Calls wait for each other. */
  readonly read: (offset: number) => Promise<LogRead>;
  /** The job has ended: from now on only the whole log tells where it ends. */
  readonly markEnded: () => void;
  readonly close: () => void;
};

/** A way to the log, and how many bytes of it it has given: it always begins at the first one. */
type Given = { readonly source: LogSource; bytes: number };

/** What is known of a log: `parts` are the bytes of it from `start`, `length` in all, bounded; everything before was handed on or passed over. */
type Reading = {
  start: number;
  parts: Uint8Array[];
  length: number;
  /** Follows the job as long as it runs and the connection holds. */
  tail: Given | null;
  /** Asked for when the tail cannot answer; read before it. */
  whole: Given | null;
  hasEnded: boolean;
  tailFailures: number;
};

/** What one call has tried so far. */
type Call = {
  readonly offset: number;
  readonly endBefore: number;
  readonly untilMs: number;
  needsWhole: boolean;
  wholeTries: number;
};

/**
 * While the job runs it follows the head's socket, so that a log of 200 MB is not sent again at every look; where that
 * cannot tell (nothing new, closed, a line too long for a frame, a job that has ended) it asks for the whole log and
 * passes over what is known. Never holds more than a chunk, what a caller may ask for again, and a frame
 * (docs/decisions/0015-ray-over-rest.md).
 */
export function createLogReader(settings: RestSettings, jobId: string): LogReader {
  const reading: Reading = {
    start: 0,
    parts: [],
    length: 0,
    tail: null,
    whole: null,
    hasEnded: false,
    tailFailures: 0,
  };
  const readOnce = async (offset: number): Promise<LogRead> => {
    const read = await readFrom(settings, jobId, reading, offset);
    reading.tail?.source.rest();
    reading.whole?.source.rest();
    return read;
  };
  let last: Promise<void> = Promise.resolve();
  return {
    read: async (offset) => {
      const before = last;
      const done = Promise.withResolvers<void>();
      last = done.promise;
      await before;
      try {
        return await readOnce(offset);
      } finally {
        done.resolve();
      }
    },
    markEnded: () => {
      reading.hasEnded = true;
    },
    close: () => closeBoth(reading),
  };
}

async function readFrom(
  settings: RestSettings,
  jobId: string,
  reading: Reading,
  offset: number,
): Promise<LogRead> {
  if (offset < reading.start || offset > endOf(reading)) beginAt(reading, offset);
  if (reading.hasEnded) closeTail(reading);
  const untilMs = settings.elapsed() + RAY_LOG_CHUNK_MS;
  const call: Call = { offset, endBefore: endOf(reading), untilMs, needsWhole: false, wholeTries: 0 };
  for (;;) {
    if (endOf(reading) - offset >= limits.logChunkBytesMax) return chunk(reading, offset, false);
    if (settings.elapsed() >= call.untilMs) return late(reading, call);
    const current = currentOf(settings, jobId, reading, call);
    const piece = await current.source.next();
    const read =
      current === reading.whole
        ? ofWhole(reading, current, call, piece)
        : ofTail(reading, current, call, piece);
    if (read !== null) return read;
  }
}

/** The whole log while one is being read, else the tail, which is opened unless it is of no use. */
function currentOf(settings: RestSettings, jobId: string, reading: Reading, call: Call): Given {
  if (reading.whole !== null) return reading.whole;
  const isTailOfUse = !call.needsWhole && !reading.hasEnded && reading.tailFailures < RAY_TAIL_TRIES_MAX;
  if (isTailOfUse) {
    reading.tail ??= { source: tailedLog(settings, jobId), bytes: 0 };
    return reading.tail;
  }
  call.wholeTries += 1;
  reading.whole = { source: wholeLog(settings, jobId), bytes: 0 };
  return reading.whole;
}

/** Time is up: what has come is handed on. Of a job that never pauses that is all there was; a whole log has more to come. */
function late(reading: Reading, { offset, endBefore, needsWhole }: Call): LogRead {
  const isFollowed = reading.tail !== null && reading.whole === null && !needsWhole;
  if (!isFollowed && endOf(reading) === endBefore)
    return { kind: 'unknown', message: 'the log comes too slowly' };
  return chunk(reading, offset, isFollowed);
}

/** What a piece of the tail means for this call; null: go on. */
function ofTail(reading: Reading, tail: Given, call: Call, piece: LogPiece): LogRead | null {
  switch (piece.kind) {
    case 'bytes':
      append(reading, tail, piece.bytes);
      return null;
    case 'quiet':
      if (endOf(reading) > call.endBefore) return chunk(reading, call.offset, true);
      // Nothing new: only the whole log can say that there is less of it than before.
      call.needsWhole = true;
      return null;
    case 'absent':
    case 'end':
    case 'failed':
      // A closed socket says nothing: the head closes it in the ordinary way also when it could not read on.
      if (piece.kind === 'failed') reading.tailFailures += 1;
      closeTail(reading);
      call.needsWhole = true;
      return null;
  }
}

/** What a piece of the whole log means for this call; null: go on. */
function ofWhole(reading: Reading, whole: Given, call: Call, piece: LogPiece): LogRead | null {
  switch (piece.kind) {
    case 'bytes':
      append(reading, whole, piece.bytes);
      return null;
    case 'absent':
      closeBoth(reading);
      return { kind: 'absent' };
    case 'end':
      reading.whole = null;
      if (whole.bytes >= endOf(reading)) return chunk(reading, call.offset, true);
      beginAt(reading, 0);
      return { kind: 'rewound', sizeBytes: whole.bytes };
    case 'quiet':
    case 'failed':
      closeWhole(reading);
      if (call.wholeTries < RAY_LOG_TRIES_MAX) return null;
      if (endOf(reading) > call.endBefore) return chunk(reading, call.offset, false);
      return {
        kind: 'unknown',
        message: piece.kind === 'failed' ? piece.message : 'the log comes too slowly',
      };
  }
}

/** Takes what is new of a piece; the rest was known, or lies before what anybody asked for. */
function append(reading: Reading, from: Given, bytes: Uint8Array): void {
  const known = endOf(reading) - from.bytes;
  from.bytes += bytes.length;
  if (known >= bytes.length) return;
  reading.parts.push(bytes.subarray(known));
  reading.length += bytes.length - known;
}

function chunk(reading: Reading, offset: number, isAll: boolean): LogRead {
  const window = Buffer.concat(reading.parts);
  const known = window.subarray(offset - reading.start);
  const piece = known.subarray(0, limits.logChunkBytesMax);
  const length = completeUtf8Length(piece);
  const nextOffset = offset + length;
  const bytes = Uint8Array.from(piece.subarray(0, length));
  const atEnd = isAll && known.length <= limits.logChunkBytesMax;
  // The unfinished last line is asked for again.
  const keepFrom = Math.max(reading.start, nextOffset - RAY_LOG_LOOKBACK_BYTES);
  reading.parts = [Buffer.from(window.subarray(keepFrom - reading.start))];
  reading.length = window.length - (keepFrom - reading.start);
  reading.start = keepFrom;
  return { kind: 'chunk', bytes, offset, nextOffset, atEnd };
}

function endOf(reading: Reading): number {
  return reading.start + reading.length;
}

/** Forgets what is known and reads from the first byte on, passing over what lies before `offset`. */
function beginAt(reading: Reading, offset: number): void {
  closeBoth(reading);
  reading.start = offset;
  reading.parts = [];
  reading.length = 0;
}

function closeBoth(reading: Reading): void {
  closeTail(reading);
  closeWhole(reading);
}

function closeTail(reading: Reading): void {
  reading.tail?.source.close();
  reading.tail = null;
}

function closeWhole(reading: Reading): void {
  reading.whole?.source.close();
  reading.whole = null;
}
