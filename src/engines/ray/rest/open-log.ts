/** Opens the answer with a job's whole log: the Jobs API's, or the file itself where the job wrote bytes that are no UTF-8. */

import { cutText } from '../../../domain/cut-text.ts';
import { completeUtf8Length } from '../../../host/utf8-boundary.ts';
import { utf8Only } from '../../../host/utf8-only.ts';
import type { HttpAnswer } from '../../shared/http.ts';
import {
  authorization,
  lastLine,
  lookUp,
  RAY_ANSWER_TEXT_MAX,
  type RestSettings,
  refusalOf,
  saysMissing,
  scrub,
} from './ask.ts';
import { createJsonLogReader, type LogDecoder } from './json-log.ts';

export type OpenedLog =
  | { readonly kind: 'open'; readonly answer: HttpAnswer; readonly decoder: LogDecoder }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * `GET /api/jobs/{id}/logs`: one JSON string with everything, without offset or limit (job_head.py, get_job_logs). One
 * byte that is no UTF-8 makes Ray answer 500 for all of it, for good; then the file is asked for
 * (docs/decisions/0015-ray-over-rest.md).
 */
export async function openLog(settings: RestSettings, jobId: string): Promise<OpenedLog> {
  const opened = await open(settings, `api/jobs/${jobId}/logs`);
  if (opened.kind !== 'said') return opened;
  const { status, text } = opened;
  if (saysMissing(opened, jobId)) return { kind: 'absent' };
  const message = scrub(settings, `no log: ${status}: ${lastLine(settings, text)}`);
  if (status !== 500 || !text.includes('UnicodeDecodeError')) return { kind: 'failed', message };
  const file = await openFile(settings, jobId);
  return file.kind === 'open' ? file : { kind: 'failed', message: `${message}; ${file.message}` };
}

/**
 * `GET /api/v0/logs/file` of the state API (ray-project/ray, python/ray/dashboard/modules/state/state_head.py): the bytes
 * of a file below the logs of one node, `lines=-1` for all of them. The driver's node stands in the job's details.
 */
async function openFile(
  settings: RestSettings,
  jobId: string,
): Promise<Extract<OpenedLog, { kind: 'open' | 'failed' }>> {
  const found = await lookUp(settings, jobId, null);
  const node = found.kind === 'there' ? (found.job.details['driverNode'] ?? '') : '';
  if (!/^[0-9a-f]{16,64}$/.test(node)) return failed('the node of its file is not known');
  const query = new URLSearchParams({ node_id: node, filename: `job-driver-${jobId}.log`, lines: '-1' });
  const opened = await open(settings, `api/v0/logs/file?${query}`);
  if (opened.kind === 'failed') return opened;
  if (opened.kind === 'said')
    return failed(scrub(settings, `no file either: ${opened.status}: ${lastLine(settings, opened.text)}`));
  const { contentType } = opened.answer;
  if (contentType.startsWith('text/plain')) return { ...opened, decoder: createFileLogReader() };
  opened.answer.close();
  return failed(`no file either: it comes as ${contentType || 'nothing known'}`);
}

type Opened =
  | Extract<OpenedLog, { kind: 'open' | 'failed' }>
  | { readonly kind: 'said'; readonly status: number; readonly contentType: string; readonly text: string };

/**
 * Asks; an answer other than 200 is read as far as it may say something. Until it is known to be a log it has the time of
 * any other answer, however often a little of it comes; a log takes as long as it is long.
 */
async function open(settings: RestSettings, path: string): Promise<Opened> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), settings.requestTimeoutMs * 2);
  try {
    return await openWithin(settings, path, deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function openWithin(settings: RestSettings, path: string, signal: AbortSignal): Promise<Opened> {
  const result = await settings.http({
    method: 'GET',
    url: new URL(path, settings.address),
    headers: authorization(settings),
    body: null,
    idleTimeoutMs: settings.requestTimeoutMs,
    signal,
  });
  if (result.kind === 'failed') return failed(scrub(settings, result.message));
  const { answer } = result;
  if (answer.status === 200) return { kind: 'open', answer, decoder: createJsonLogReader() };
  const refusal = refusalOf(settings, answer);
  const text = refusal === null ? await readSome(answer) : '';
  answer.close();
  if (refusal !== null) return failed(refusal.message);
  if (text === null) return failed(`the answer ${answer.status} broke off`);
  const { status, contentType } = answer;
  return { kind: 'said', status, contentType, text };
}

function failed(message: string): { readonly kind: 'failed'; readonly message: string } {
  return { kind: 'failed', message };
}

/** Bounded text; null where the connection broke off before so much, or all, of it had come. */
async function readSome(answer: HttpAnswer): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      size += piece.length;
      if (size > RAY_ANSWER_TEXT_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
  return cutText(Buffer.concat(pieces).toString('utf8'), RAY_ANSWER_TEXT_MAX);
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
      return withNewlines(utf8Only(joined.subarray(0, end)));
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

function withNewlines(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(RETURN)) return bytes;
  const text = new Uint8Array(bytes.length);
  let filled = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte === NEWLINE && bytes[index - 1] === RETURN) continue;
    text[filled] = byte === RETURN ? NEWLINE : byte;
    filled += 1;
  }
  return text.subarray(0, filled);
}
