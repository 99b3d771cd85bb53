/** Reads one job's log on from any offset: each byte is handed on once, whatever the head sends again. */

import type { LogRead } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { cutText } from '../../../domain/values.ts';
import { completeUtf8Length, utf8Only } from '../../../host/files.ts';
import { type HttpAnswer, readWhole } from '../../shared/http.ts';
import { createLogWindow, type LogWindow } from '../../shared/job-files.ts';
import { type Unknown, unknownBecause } from '../../shared/kit.ts';
import {
  authorization,
  lastLine,
  lookUp,
  RAY_ANSWER_BYTES_MAX,
  RAY_ANSWER_TEXT_MAX,
  type RestSettings,
  refusalOf,
  saysMissing,
  scrub,
} from './ask.ts';

type LogDecoder = {
  /** The next bytes of the answer to the UTF-8 bytes of log that they complete. */
  readonly read: (bytes: Uint8Array) => Uint8Array;
  /** What only the end of the answer completes; to be asked when nothing more comes. */
  readonly end: () => Uint8Array;
  /** `open`: more is to come; `whole`: the answer may end here; `other`: this is no such answer. */
  readonly state: () => 'open' | 'whole' | 'other';
};

/** The frame of the answer to `GET /api/jobs/{id}/logs`; blanks may stand anywhere between. */
const OPENING = '{"logs":"';
const FRAME = `${OPENING}"}`;
const SIMPLE: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};
/** The end of the text, or one escape, or the two of a surrogate pair (RFC 8259, section 7). */
const TOKEN = /"|\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|([^u]))/gi;
/** What more bytes may complete: half an escape, also behind the first half of a pair. */
const UNFINISHED = /^(?:\\(?:u(?:[0-9a-f]{0,3}|d[89ab][0-9a-f]{2}(?:\\(?:u[0-9a-f]{0,3})?)?))?)?$/i;

/**
 * Reads the text out of `{"logs": "…"}` while it arrives: any size, any cut, and never more than the piece at hand. Half a
 * surrogate pair waits for its other half; one that stands alone becomes U+FFFD. Raw bytes pass through as they are.
 */
export function createJsonLogReader(): LogDecoder {
  let frame = '';
  let held = '';
  let isOther = false;
  /** One character a byte, so that bytes of UTF-8 stay as they are. */
  const readText = (text: string): string => {
    let out = '';
    let at = 0;
    TOKEN.lastIndex = 0;
    for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
      const rest = text.slice(token.index);
      if (rest.length < 12 && UNFINISHED.test(rest)) break;
      const before = text.slice(at, token.index);
      const said = decoded(token);
      isOther ||= before.includes('\\') || said === null;
      if (isOther) return out;
      out += before + (said ?? '');
      at = TOKEN.lastIndex;
      if (token[0] !== '"') continue;
      frame += '"';
      readFrame(text.slice(at));
      return out;
    }
    const backslash = text.indexOf('\\', at);
    const end = backslash === -1 ? text.length : backslash;
    held = text.slice(end);
    isOther = !UNFINISHED.test(held);
    return out + text.slice(at, end);
  };
  const readFrame = (text: string): string => {
    for (const [at, sign] of [...text].entries()) {
      if (/[ \t\r\n]/.test(sign)) continue;
      frame += sign;
      isOther = !FRAME.startsWith(frame);
      if (isOther) return '';
      if (frame === OPENING) return readText(text.slice(at + 1));
    }
    return '';
  };
  return {
    read: (bytes) => {
      if (isOther) return new Uint8Array();
      const text = held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      held = '';
      return Buffer.from(frame === OPENING ? readText(text) : readFrame(text), 'latin1');
    },
    end: () => new Uint8Array(),
    state: () => (isOther ? 'other' : frame === FRAME ? 'whole' : 'open'),
  };
}

/** The UTF-8 bytes that an escape stands for, nothing for the end of the text; null: it is no escape of JSON. */
function decoded([, high, low, unit, simple]: RegExpExecArray): string | null {
  if (simple !== undefined) return SIMPLE[simple] ?? null;
  const codes = [high, low, unit].flatMap((digits) =>
    digits === undefined ? [] : [Number.parseInt(digits, 16)],
  );
  return Buffer.from(String.fromCharCode(...codes), 'utf8').toString('latin1');
}

const RETURN = 13;
const NEWLINE = 10;

/**
 * Ray opens the file in Python's text mode, which makes one newline of `\r\n` and of a lone `\r`
 * (job_log_storage_client.py; Python, `open`, newline=None), so the same is done here: offsets of the one way to a log
 * are those of the other. What is no UTF-8 becomes `?`, for which the Jobs API has no answer at all.
 */
export function createFileLogReader(): LogDecoder {
  // An unfinished character, or a return that the next piece may follow with a newline.
  let held: Uint8Array = new Uint8Array();
  return {
    read: (bytes) => {
      const joined = Buffer.concat([held, bytes]);
      const length = completeUtf8Length(joined);
      const end = joined[length - 1] === RETURN ? length - 1 : length;
      held = Uint8Array.from(joined.subarray(end));
      const clean = Buffer.from(utf8Only(joined.subarray(0, end)));
      return Buffer.from(clean.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
    },
    // A character that was never finished is not handed on: the job may still write the rest of it.
    end: () => {
      const isReturn = held[0] === RETURN;
      held = new Uint8Array();
      return Uint8Array.from(isReturn ? [NEWLINE] : []);
    },
    state: () => 'whole',
  };
}

/** Time for one chunk of a log: a connection that drips gives what it gave by then. */
export const RAY_LOG_CHUNK_MS = 10_000;
/** Tries of one read. */
const RAY_LOG_TRIES_MAX = 2;
export type LogReader = {
  /** Offsets are bytes of the log as UTF-8. Calls wait for each other. */
  readonly read: (offset: number) => Promise<LogRead>;
  readonly close: () => void;
};

type OpenLog = { readonly kind: 'open'; readonly answer: HttpAnswer; readonly decoder: LogDecoder };

/** What is known of a log. */
type Reading = {
  window: LogWindow;
  /** An answer with the whole log, and how many bytes of it have come. */
  open: { readonly log: OpenLog; bytes: number } | null;
};

/**
 * The Jobs API gives the whole log in one answer, which is decoded as it arrives: what is known is passed over, and it stays
 * open from one chunk to the next. Never holds more than a chunk and what a caller may ask for again
 * (docs/decisions/0135-ask-ray-by-rest-and-submit-by-script.md).
 */
export function createLogReader(settings: RestSettings, jobId: string): LogReader {
  const reading: Reading = { window: createLogWindow(), open: null };
  const readOnce = async (offset: number): Promise<LogRead> => {
    reading.open?.log.answer.hold(true);
    const read = await readFrom(settings, jobId, reading, offset);
    reading.open?.log.answer.hold(false);
    return read;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: (offset) => {
      // Whether an earlier read failed is told to who asked for it.
      const read = last.then(
        () => readOnce(offset),
        () => readOnce(offset),
      );
      last = read;
      return read;
    },
    close: () => close(reading),
  };
}

async function readFrom(
  settings: RestSettings,
  jobId: string,
  reading: Reading,
  offset: number,
): Promise<LogRead> {
  if (offset < reading.window.start() || offset > reading.window.end()) beginAt(reading, offset);
  const { window } = reading;
  const endBefore = window.end();
  const untilMs = settings.elapsed() + RAY_LOG_CHUNK_MS;
  let why = 'the log comes too slowly';
  for (let tries = 0; settings.elapsed() < untilMs && tries < RAY_LOG_TRIES_MAX; ) {
    if (window.end() - offset >= limits.logChunkBytesMax) break;
    const piece = await nextPiece(settings, jobId, reading, untilMs);
    switch (piece.kind) {
      case 'read':
        break;
      case 'absent':
        beginAt(reading, offset);
        return piece;
      case 'whole':
        if (piece.bytes >= window.end()) return window.chunk(offset, true);
        beginAt(reading, 0);
        return { kind: 'rewound', sizeBytes: piece.bytes };
      case 'unknown':
        close(reading);
        tries += 1;
        why = piece.message;
    }
  }
  if (window.end() > endBefore || window.end() - offset >= limits.logChunkBytesMax)
    return window.chunk(offset, false);
  close(reading);
  return unknownBecause(why);
}

type Piece =
  | { readonly kind: 'read' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'whole'; readonly bytes: number }
  | Unknown;

/** Takes the next bytes, of which those that are known are passed over. */
async function nextPiece(
  settings: RestSettings,
  jobId: string,
  reading: Reading,
  untilMs: number,
): Promise<Piece> {
  if (reading.open === null) {
    const log = await openLog(settings, jobId);
    if (log.kind !== 'open') return log;
    reading.open = { log, bytes: 0 };
  }
  const { open, window } = reading;
  const { answer, decoder } = open.log;
  try {
    // Blanks may stand around the text, as many as a server likes.
    while (settings.elapsed() < untilMs) {
      const { value, done } = await answer.body.next();
      const bytes = done === true ? decoder.end() : decoder.read(value);
      if (decoder.state() === 'other') return unknownBecause('this is no log of Ray');
      const known = window.end() - open.bytes;
      open.bytes += bytes.length;
      if (known < bytes.length) window.add(bytes.subarray(known));
      if (bytes.length > 0) break;
      if (done !== true) continue;
      if (decoder.state() !== 'whole') return unknownBecause('the log broke off on its way');
      reading.open = null;
      return { kind: 'whole', bytes: open.bytes };
    }
    return { kind: 'read' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return unknownBecause(scrub(settings, `the log broke off on its way: ${error.message}`));
  }
}

/** Forgets what is known and reads from the first byte on, passing over what lies before `offset`. */
function beginAt(reading: Reading, offset: number): void {
  close(reading);
  reading.window = createLogWindow(offset);
}

function close(reading: Reading): void {
  reading.open?.log.answer.close();
  reading.open = null;
}

/**
 * `GET /api/jobs/{id}/logs`: one JSON string with everything, without offset or limit (job_head.py, get_job_logs). One
 * byte that is no UTF-8 makes Ray answer 500 for all of it, for good; then the file is asked for.
 */
async function openLog(
  settings: RestSettings,
  jobId: string,
): Promise<OpenLog | { readonly kind: 'absent' } | Unknown> {
  const opened = await open(settings, `api/jobs/${jobId}/logs`);
  if (opened.kind !== 'said') return opened;
  const { status, text } = opened;
  if (saysMissing(opened, jobId)) return { kind: 'absent' };
  const message = scrub(settings, `no log: ${status}: ${lastLine(settings, text)}`);
  if (status !== 500 || !text.includes('UnicodeDecodeError')) return unknownBecause(message);
  const file = await openFile(settings, jobId);
  return file.kind === 'open' ? file : unknownBecause(`${message}; ${file.message}`);
}

/**
 * `GET /api/v0/logs/file` of the state API (ray-project/ray, python/ray/dashboard/modules/state/state_head.py): the bytes
 * of a file below the logs of one node, `lines=-1` for all of them. The driver's node stands in the job's details.
 */
async function openFile(settings: RestSettings, jobId: string): Promise<OpenLog | Unknown> {
  const found = await lookUp(settings, jobId, null);
  const node = found.kind === 'there' ? (found.job.details['driverNode'] ?? '') : '';
  if (!/^[0-9a-f]{16,64}$/.test(node)) return unknownBecause('the node of its file is not known');
  const query = new URLSearchParams({ node_id: node, filename: `job-driver-${jobId}.log`, lines: '-1' });
  const opened = await open(settings, `api/v0/logs/file?${query}`);
  if (opened.kind === 'unknown') return opened;
  if (opened.kind === 'said')
    return unknownBecause(
      scrub(settings, `no file either: ${opened.status}: ${lastLine(settings, opened.text)}`),
    );
  const { contentType } = opened.answer;
  if (contentType.startsWith('text/plain')) return { ...opened, decoder: createFileLogReader() };
  opened.answer.close();
  return unknownBecause(`no file either: it comes as ${contentType || 'nothing known'}`);
}

type Said = {
  readonly kind: 'said';
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
};

/**
 * Asks; an answer other than 200 is read as far as it may say something. Until it is known to be a log it has the time of
 * any other answer, however often a little of it comes; a log takes as long as it is long.
 */
async function open(settings: RestSettings, path: string): Promise<OpenLog | Said | Unknown> {
  const down = await settings.reach();
  if (down !== null) return unknownBecause(down);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), settings.requestTimeoutMs * 2);
  try {
    const result = await settings.http({
      method: 'GET',
      url: new URL(path, settings.address),
      headers: authorization(settings),
      body: null,
      idleTimeoutMs: settings.requestTimeoutMs,
      signal: deadline.signal,
    });
    if (result.kind === 'failed') return unknownBecause(scrub(settings, result.message));
    const { answer } = result;
    const { status, contentType } = answer;
    if (status === 200) return { kind: 'open', answer, decoder: createJsonLogReader() };
    const refusal = refusalOf(settings, answer);
    if (refusal !== null) {
      answer.close();
      return unknownBecause(refusal.message);
    }
    const said = await readWhole(answer, RAY_ANSWER_BYTES_MAX);
    if (said.kind === 'unknown') return unknownBecause(scrub(settings, `${status}: ${said.message}`));
    return { kind: 'said', status, contentType, text: cutText(said.text, RAY_ANSWER_TEXT_MAX) };
  } finally {
    clearTimeout(timer);
  }
}
