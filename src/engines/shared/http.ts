/** Sends one HTTP request. The reader sets the pace of the body; no redirects, no shared connections. */

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { NOT_SENT, readBounded } from '../../host/fetch-whole.ts';
import { errorCode } from '../../host/files.ts';
import { runProgram } from '../../host/process.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** The longest silence of the connection, before the answer and between two pieces. */
  readonly idleTimeoutMs: number;
  /** Aborts the whole exchange. */
  readonly signal?: AbortSignal;
};

export type HttpAnswer = {
  readonly status: number;
  readonly contentType: string;
  /** Pieces in the order of arrival, each on request. Throws if the connection breaks before the end. */
  readonly body: AsyncIterableIterator<Uint8Array>;
  /** Whether an open answer keeps the process alive. */
  readonly hold: (isHeld: boolean) => void;
  readonly close: () => void;
};

/** `sent`: false if the request certainly reached no server. */
export type HttpResult =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'failed'; readonly sent: boolean; readonly message: string };

export type Http = (request: HttpRequest) => Promise<HttpResult>;

/**
 * Uses node:http, because `fetch` marks every request with `Sec-Fetch-Mode`. Ray then takes it for a browser and refuses to
 * submit (ray-project/ray, python/ray/dashboard/optional_utils.py, is_browser_request). Each request has its own connection:
 * one kept open across a restart of the head would appear as a lost answer.
 */
export async function callOverHttp(asked: HttpRequest): Promise<HttpResult> {
  try {
    const request = startRequest(asked);
    request.end(asked.body ?? undefined);
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('a response event without a response');
    // The reader of the body receives silence and resets as errors, even if it starts later. An error without a listener
    // would end the process, so this listener exists.
    response.on('error', () => undefined);
    request.on('error', (error) => response.destroy(error));
    return { kind: 'answer', answer: toHttpAnswer(response) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = errorCode(error) ?? '';
    return { kind: 'failed', sent: !NOT_SENT.has(code), message: `${code} ${error.message}`.trim() };
  }
}

/** A whole answer, or why there is none. `not-sent`: the request certainly reached no server. */
export type WholeAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly contentType: string; readonly text: string }
  | { readonly kind: 'unknown'; readonly cause: 'not-sent' | 'lost' | 'too-large'; readonly message: string };

/** Asks once, within at most twice the idle timeout. Abandons an answer of more than `bytesMax` bytes. */
export async function requestWhole(
  http: Http,
  request: Omit<HttpRequest, 'signal'>,
  bytesMax: number,
): Promise<WholeAnswer> {
  const result = await http({ ...request, signal: AbortSignal.timeout(request.idleTimeoutMs * 2) });
  if (result.kind === 'failed')
    return { kind: 'unknown', cause: result.sent ? 'lost' : 'not-sent', message: `no answer: ${result.message}` };
  return readWhole(result.answer, bytesMax);
}

/** Reads an answer to its end, at most `bytesMax` bytes. */
export async function readWhole(answer: HttpAnswer, bytesMax: number): Promise<WholeAnswer> {
  const { status, contentType } = answer;
  try {
    const bytes = await readBounded(answer.body, bytesMax);
    if (bytes !== null) return { kind: 'answer', status, contentType, text: bytes.toString('utf8') };
    answer.close();
    return { kind: 'unknown', cause: 'too-large', message: `the answer has more than ${bytesMax} bytes` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'unknown', cause: 'lost', message: `the answer broke off: ${error.message}` };
  }
}

function startRequest({ method, url, headers, body, idleTimeoutMs, signal }: HttpRequest): ClientRequest {
  const length: Record<string, number> = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = {
    method,
    headers: { ...headers, ...length },
    agent: false,
    timeout: idleTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  const request = url.protocol === 'https:' ? requestOverTls(url, options) : requestPlain(url, options);
  request.on('timeout', () => {
    request.destroy(new Error(`no word for ${idleTimeoutMs} ms`));
  });
  return request;
}

function toHttpAnswer(response: IncomingMessage): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    body: response.iterator({ destroyOnReturn: true }),
    hold: (isHeld) => {
      if (isHeld) response.socket.ref();
      else response.socket.unref();
    },
    close: () => {
      response.destroy();
    },
  };
}

/** The headers and their values, or why a command printed none. */
export type TokenHeaders = () => Promise<
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'unknown'; readonly message: string }
>;

/** Shorter than the hour for which a token of an identity proxy is valid. */
const HEADERS_KEPT_MS = 20 * 60_000;
const TOKEN_TIMEOUT_MS = 30_000;

/** What a token command gets: where its program and its login are. The environment also has ferrybot's keys and the secrets of jobs. */
const TOKEN_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS'];

/** Runs the token command of each header, and keeps what they print for twenty minutes. The output never appears in a message. */
export function tokenHeaders(
  commands: Readonly<Record<string, readonly string[]>>,
  {
    environment,
    now,
  }: { readonly environment: Readonly<Record<string, string | undefined>>; readonly now: () => number },
): TokenHeaders {
  let kept: { readonly headers: Record<string, string>; readonly atMs: number } | null = null;
  const env = Object.fromEntries(
    TOKEN_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return async () => {
    if (kept !== null && now() - kept.atMs < HEADERS_KEPT_MS) return { kind: 'headers', headers: kept.headers };
    const headers: Record<string, string> = {};
    for (const [header, [program = '', ...args]] of Object.entries(commands)) {
      const ran = await runProgram(program, args, { env, timeoutMs: TOKEN_TIMEOUT_MS });
      const token = ran.stdout.trim();
      if (!ran.ok || !/^[!-~]+$/.test(token))
        return { kind: 'unknown', message: `the token command of ${header}, ${program}, printed no token` };
      headers[header] = `Bearer ${token}`;
    }
    kept = { headers, atMs: now() };
    return { kind: 'headers', headers };
  };
}
