/** Reads one job's log from any offset. Returns each byte once, even if the head sends it again. */

import type { LogRead } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { cutText, parseJson } from '../../../domain/values.ts';
import { completeUtf8Length, keepValidUtf8 } from '../../../host/files.ts';
import { type HttpAnswer, readWhole } from '../../shared/http.ts';
import { createLogWindow, type LogWindow } from '../../shared/job-files.ts';
import { type Unknown, unknownOutcome } from '../../shared/kit.ts';
import {
  authorizationHeader,
  findRefusal,
  isMissingAnswer,
  lastLine,
  lookUpJob,
  maskSecrets,
  RAY_ANSWER_BYTES_MAX,
  RAY_ANSWER_TEXT_MAX,
  type RestSettings,
} from './request.ts';

type LogDecoder = {
  /** Decodes the next bytes of the answer. Returns the UTF-8 log bytes that they complete. */
  readonly read: (bytes: Uint8Array) => Uint8Array;
  /** Returns what only the end of the answer completes. Call it after the last bytes. */
  readonly end: () => Uint8Array;
  /** `open`: more bytes must follow; `whole`: the answer may end here; `other`: the answer has another format. */
  readonly state: () => 'open' | 'whole' | 'other';
};

/** Around the text of the answer to `GET /api/jobs/{id}/logs`. Whitespace may occur anywhere between. */
const OPENING = '{"logs":"';
const CLOSING = '"}';
/** Complete characters and escapes of a JSON string. The first half of a surrogate pair counts if no second half can follow. */
const WHOLE_TEXT =
  /(?:[^"\\]+|\\(?:[^u]|u(?:(?!d[89ab])[\da-f]{4}|d[89ab][\da-f]{2}(?:\\ud[c-f][\da-f]{2}|(?=[^\\]|\\(?:[^u]|u[\da-f]{4}))))))*/iy;
/** Text that more bytes may complete: half an escape, also after the first half of a pair. */
const UNFINISHED = /^(?:\\(?:u(?:[0-9a-f]{0,3}|d[89ab][0-9a-f]{2}(?:\\(?:u[0-9a-f]{0,3})?)?))?)?$/i;

/**
 * Decodes the text of `{"logs": "…"}` while it arrives: any size, cut anywhere, with only the current piece in memory. Half
 * a surrogate pair waits for its other half; an unpaired half becomes U+FFFD.
 */
export function createJsonLogReader(): LogDecoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let phase: 'opening' | 'text' | 'closing' | 'other' = 'opening';
  let held = '';
  const readText = (): string => {
    WHOLE_TEXT.lastIndex = 0;
    const text = WHOLE_TEXT.exec(held)?.[0] ?? '';
    held = held.slice(text.length);
    if (held.startsWith('"')) phase = 'closing';
    const decoded = parseJson(`"${text}"`);
    if (typeof decoded === 'string' && (phase === 'closing' || UNFINISHED.test(held))) return decoded;
    phase = 'other';
    return '';
  };
  const read = (bytes: Uint8Array): Uint8Array => {
    const rest = bytes.subarray(limits.logChunkBytesMax);
    held += decoder.decode(bytes.subarray(0, limits.logChunkBytesMax), { stream: true });
    if (phase === 'opening') {
      const opening = /^\s*\{\s*"logs"\s*:\s*"/.exec(held)?.[0];
      if (opening !== undefined) phase = 'text';
      else if (!OPENING.startsWith(held.replaceAll(/\s/g, ''))) phase = 'other';
      held = held.slice(opening?.length ?? 0);
    }
    const text = Buffer.from(phase === 'text' ? readText() : '', 'utf8');
    if (phase === 'closing' && !CLOSING.startsWith(held.replaceAll(/\s/g, ''))) phase = 'other';
    return rest.length === 0 ? text : Buffer.concat([text, read(rest)]);
  };
  return {
    read,
    end: () => new Uint8Array(),
    state: () => {
      if (phase === 'other') return 'other';
      return phase === 'closing' && held.trimEnd().endsWith('}') ? 'whole' : 'open';
    },
  };
}

const RETURN = 13;
const NEWLINE = 10;

/**
 * Ray opens the file in Python's text mode, which turns `\r\n` and a lone `\r` into one newline (job_log_storage_client.py;
 * Python, `open`, newline=None). This reader does the same, so that both ways to read a log have the same offsets. Invalid
 * UTF-8 becomes `?`; the Jobs API cannot answer for such a log.
 */
export function createFileLogReader(): LogDecoder {
  // An unfinished character, or a return that a newline of the next piece may follow.
  let held: Uint8Array = new Uint8Array();
  return {
    read: (bytes) => {
      const joined = Buffer.concat([held, bytes]);
      const length = completeUtf8Length(joined);
      const end = joined[length - 1] === RETURN ? length - 1 : length;
      held = Uint8Array.from(joined.subarray(end));
      const clean = Buffer.from(keepValidUtf8(joined.subarray(0, end)));
      return Buffer.from(clean.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
    },
    // An unfinished character is not returned: the job may still write the rest.
    end: () => {
      const isReturn = held[0] === RETURN;
      held = new Uint8Array();
      return Uint8Array.from(isReturn ? [NEWLINE] : []);
    },
    state: () => 'whole',
  };
}

/** Time for one chunk of a log. A slow connection returns what has arrived by then. */
export const RAY_LOG_CHUNK_MS = 10_000;
const RAY_LOG_TRIES_MAX = 2;
export type LogReader = {
  /** Offsets are bytes of the log as UTF-8. Calls wait for each other. */
  readonly read: (offset: number) => Promise<LogRead>;
  readonly close: () => void;
};

type OpenLog = { readonly kind: 'open'; readonly answer: HttpAnswer; readonly decoder: LogDecoder };

type Reading = {
  window: LogWindow;
  /** An answer with the whole log, and the number of log bytes received so far. */
  open: { readonly log: OpenLog; bytes: number } | null;
};

/**
 * The Jobs API sends the whole log in one answer. This reader decodes the answer as it arrives, skips known bytes, and keeps
 * the answer open between chunks. It never holds more than a chunk and what a caller may request again
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
      // The caller of an earlier read handles its failure.
      const read = last.then(
        () => readOnce(offset),
        () => readOnce(offset),
      );
      last = read;
      return read;
    },
    close: () => closeReading(reading),
  };
}

async function readFrom(settings: RestSettings, jobId: string, reading: Reading, offset: number): Promise<LogRead> {
  if (offset < reading.window.start() || offset > reading.window.end()) restartAt(reading, offset);
  const { window } = reading;
  const endBefore = window.end();
  const untilMs = settings.elapsed() + RAY_LOG_CHUNK_MS;
  let why = 'the log comes too slowly';
  for (let tries = 0; settings.elapsed() < untilMs && tries < RAY_LOG_TRIES_MAX; ) {
    if (window.end() - offset >= limits.logChunkBytesMax) break;
    const piece = await readNextPiece(settings, jobId, reading, untilMs);
    switch (piece.kind) {
      case 'read':
        break;
      case 'absent':
        restartAt(reading, offset);
        return piece;
      case 'whole':
        if (piece.bytes >= window.end()) return window.chunk(offset, true);
        restartAt(reading, 0);
        return { kind: 'rewound', sizeBytes: piece.bytes };
      case 'unknown':
        closeReading(reading);
        tries += 1;
        why = piece.message;
    }
  }
  if (window.end() > endBefore || window.end() - offset >= limits.logChunkBytesMax) return window.chunk(offset, false);
  closeReading(reading);
  return unknownOutcome(why);
}

type LogPiece =
  | { readonly kind: 'read' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'whole'; readonly bytes: number }
  | Unknown;

/** Reads the next bytes and skips the known ones. */
async function readNextPiece(
  settings: RestSettings,
  jobId: string,
  reading: Reading,
  untilMs: number,
): Promise<LogPiece> {
  if (reading.open === null) {
    const log = await openLog(settings, jobId);
    if (log.kind !== 'open') return log;
    reading.open = { log, bytes: 0 };
  }
  const { open, window } = reading;
  const { answer, decoder } = open.log;
  try {
    // Any amount of whitespace may surround the text.
    while (settings.elapsed() < untilMs) {
      const { value, done } = await answer.body.next();
      const bytes = done === true ? decoder.end() : decoder.read(value);
      if (decoder.state() === 'other') return unknownOutcome('this is no log of Ray');
      const known = window.end() - open.bytes;
      open.bytes += bytes.length;
      if (known < bytes.length) window.add(bytes.subarray(known));
      if (bytes.length > 0) break;
      if (done !== true) continue;
      if (decoder.state() !== 'whole') return unknownOutcome('the log broke off on its way');
      reading.open = null;
      return { kind: 'whole', bytes: open.bytes };
    }
    return { kind: 'read' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return unknownOutcome(maskSecrets(settings, `the log broke off on its way: ${error.message}`));
  }
}

/** Forgets the known bytes, and reads again from the first byte. Skips all bytes before `offset`. */
function restartAt(reading: Reading, offset: number): void {
  closeReading(reading);
  reading.window = createLogWindow(offset);
}

function closeReading(reading: Reading): void {
  reading.open?.log.answer.close();
  reading.open = null;
}

/**
 * `GET /api/jobs/{id}/logs`: one JSON string with everything, without offset or limit (job_head.py, get_job_logs). If the
 * log has one invalid UTF-8 byte, Ray answers 500 permanently; then this function reads the file.
 */
async function openLog(
  settings: RestSettings,
  jobId: string,
): Promise<OpenLog | { readonly kind: 'absent' } | Unknown> {
  const opened = await openStream(settings, `api/jobs/${jobId}/logs`);
  if (opened.kind !== 'said') return opened;
  const { status, text } = opened;
  if (isMissingAnswer(opened, jobId)) return { kind: 'absent' };
  const message = maskSecrets(settings, `no log: ${status}: ${lastLine(settings, text)}`);
  if (status !== 500 || !text.includes('UnicodeDecodeError')) return unknownOutcome(message);
  const file = await openFile(settings, jobId);
  return file.kind === 'open' ? file : unknownOutcome(`${message}; ${file.message}`);
}

/**
 * `GET /api/v0/logs/file` of the state API (ray-project/ray, python/ray/dashboard/modules/state/state_head.py): the bytes of
 * a file below the logs of one node, `lines=-1` for all lines. The job's details contain the driver's node.
 */
async function openFile(settings: RestSettings, jobId: string): Promise<OpenLog | Unknown> {
  const found = await lookUpJob(settings, jobId, null);
  const node = found.kind === 'there' ? (found.job.details['driverNode'] ?? '') : '';
  if (!/^[0-9a-f]{16,64}$/.test(node)) return unknownOutcome('the node of its file is not known');
  const query = new URLSearchParams({ node_id: node, filename: `job-driver-${jobId}.log`, lines: '-1' });
  const opened = await openStream(settings, `api/v0/logs/file?${query}`);
  if (opened.kind === 'unknown') return opened;
  if (opened.kind === 'said')
    return unknownOutcome(
      maskSecrets(settings, `no file either: ${opened.status}: ${lastLine(settings, opened.text)}`),
    );
  const { contentType } = opened.answer;
  if (contentType.startsWith('text/plain')) return { ...opened, decoder: createFileLogReader() };
  opened.answer.close();
  return unknownOutcome(`no file either: it comes as ${contentType || 'nothing known'}`);
}

type TextAnswer = {
  readonly kind: 'said';
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
};

/**
 * Asks, and reads the message of an answer other than 200. The time limit of other answers applies until the status is 200,
 * even if bytes trickle in. A log has no total time limit.
 */
async function openStream(settings: RestSettings, path: string): Promise<OpenLog | TextAnswer | Unknown> {
  const down = await settings.reach();
  if (down !== null) return unknownOutcome(down);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), settings.requestTimeoutMs * 2);
  try {
    const result = await settings.http({
      method: 'GET',
      url: new URL(path, settings.address),
      headers: authorizationHeader(settings),
      body: null,
      idleTimeoutMs: settings.requestTimeoutMs,
      signal: deadline.signal,
    });
    if (result.kind === 'failed') return unknownOutcome(maskSecrets(settings, result.message));
    const { answer } = result;
    const { status, contentType } = answer;
    if (status === 200) return { kind: 'open', answer, decoder: createJsonLogReader() };
    const refusal = findRefusal(settings, answer);
    if (refusal !== null) {
      answer.close();
      return unknownOutcome(refusal.message);
    }
    const said = await readWhole(answer, RAY_ANSWER_BYTES_MAX);
    if (said.kind === 'unknown') return unknownOutcome(maskSecrets(settings, `${status}: ${said.message}`));
    return { kind: 'said', status, contentType, text: cutText(said.text, RAY_ANSWER_TEXT_MAX) };
  } finally {
    clearTimeout(timer);
  }
}
