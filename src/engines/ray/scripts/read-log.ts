/** Reads a job's log through the lab's script, which prints nothing with exit code 0 for three different things. */

import type { LogRead } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { chunkOf } from '../../shared/log-window.ts';
import { runScript, type ScriptSettings } from './run-script.ts';
import { reasonOf, scrubber } from './said.ts';

/** Lines that a script is asked for where the whole log is meant; a log with more cannot be read through it. */
const SCRIPT_LOG_LINES_MAX = 5_000_000;

/**
 * At most `limits.logChunkBytesMax` bytes from `offset` (bytes of the log). The script reads the log from its beginning
 * each time and ignores how the reading ended, so a shorter text than before is no other log but perhaps a torn answer:
 * unknown, never `rewound`, because what was classified once must not be classified again.
 */
export async function readLogByScript(
  settings: ScriptSettings,
  jobId: string,
  offset: number,
): Promise<LogRead> {
  const printed = createPrintedLog(offset, limits.logChunkBytesMax);
  const end = await runScript(settings, {
    template: settings.templates.logs,
    fill: { texts: { jobId, lines: String(SCRIPT_LOG_LINES_MAX) }, lists: {} },
    cwd: null,
    env: {},
    onStdout: printed.feed,
  });
  if (end.kind === 'not-started') return unknown(`could not be started: ${end.code}`);
  if (end.kind === 'cut') return unknown(`was cut: ${end.why}`);
  if (end.exitCode !== 0) return unknown(`failed: ${reasonOf(end, scrubber(settings.secrets))}`);
  const { bytes, sizeBytes, lines } = printed.end();
  if (sizeBytes === 0) return unknown('printed nothing: no answer, no such job, or nothing in the log');
  if (lines >= SCRIPT_LOG_LINES_MAX)
    return unknown(`printed the last ${lines} lines, not the whole log: offsets mean nothing in it`);
  if (sizeBytes < offset) return unknown(`printed ${sizeBytes} bytes of a log of at least ${offset}`);
  return chunkOf(bytes, offset, offset + bytes.length >= sizeBytes);
}

function unknown(what: string): LogRead {
  return { kind: 'unknown', message: `the script for the log ${what}` };
}

export type PrintedLog = {
  readonly feed: (chunk: Uint8Array) => void;
  /** To be asked once, when nothing more comes. Sizes are bytes of the log, without what Ray's command line put before it. */
  readonly end: () => { readonly bytes: Uint8Array; readonly sizeBytes: number; readonly lines: number };
};

/** Cuts at most `bytesMax` bytes from `offset` on out of a log while it is printed: all others are counted and not kept. */
export function createPrintedLog(offset: number, bytesMax: number): PrintedLog {
  // Not yet known to be free of the command line's words; a few hundred bytes.
  let head: Uint8Array | null = new Uint8Array();
  let size = 0;
  let lines = 0;
  const kept: Uint8Array[] = [];
  const take = (bytes: Uint8Array): void => {
    for (const byte of bytes) if (byte === NEWLINE) lines += 1;
    const from = Math.max(0, offset - size);
    const to = Math.max(0, Math.min(bytes.length, offset + bytesMax - size));
    if (from < to) kept.push(bytes.slice(from, to));
    size += bytes.length;
  };
  return {
    feed: (chunk) => {
      if (head === null) return take(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) return;
      take(withoutPreamble(head));
      head = null;
    },
    end: () => {
      if (head !== null) take(withoutPreamble(head));
      head = null;
      return { bytes: Buffer.concat(kept), sizeBytes: size, lines };
    },
  };
}

const NEWLINE = 10;
/** More than the command line says before a log: an address, and its own place in the source. */
const HEAD_BYTES = 4_096;

/**
 * `ray job logs` begins with a line about the address and puts `… INFO cli.py:569 -- ` before the log itself
 * (ray-project/ray, python/ray/dashboard/modules/job/cli.py), with the time of the call: a part that would change under
 * the offsets.
 */
function withoutPreamble(head: Uint8Array): Uint8Array {
  // One character a byte, so that places in the text are places in the bytes.
  const text = Buffer.from(head).toString('latin1');
  const address = new RegExp(`^(?:${PREFIX.source}[^\\n]*Job submission server address[^\\n]*\\n)+`).exec(
    text,
  );
  const from = address?.[0].length ?? 0;
  const prefix = new RegExp(`^${PREFIX.source}`).exec(text.slice(from));
  return head.subarray(from + (prefix?.[0].length ?? 0));
}

const PREFIX = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\tINFO cli\.py:\d+ -- /;
