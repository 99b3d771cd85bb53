/** One small question to the dashboard and its whole answer, or why there is none. */

import { z } from 'zod';
import { cutText } from '../../../domain/cut-text.ts';
import { limits } from '../../../domain/limits.ts';
import { redact } from '../../../host/redactor.ts';
import { type HttpAnswer, readWholeBody } from '../../http.ts';
import { authorization, type RestSettings } from './settings.ts';

/** A whole answer: a thousand jobs, each with the 20,000 characters of log that Ray puts in a failure's message. */
const RAY_ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Of an error's text: a traceback of Ray's has two or three thousand characters. */
export const RAY_ANSWER_TEXT_MAX = 20_000;

export type Question = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the dashboard's address, without a slash in front; Ray insists on the one at the end of `api/jobs/`. */
  readonly path: string;
  readonly body?: object | Uint8Array;
};

/** No usable answer. `refused`: the head wants another token. */
export type NoAnswer = {
  readonly kind: 'unknown';
  readonly cause: 'not-sent' | 'lost' | 'no-token' | 'wrong-token' | 'redirect' | 'too-large' | 'no-ray';
  readonly message: string;
};

export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly contentType: string;
      readonly text: string;
    }
  | NoAnswer;

/** Asks once. Redirects are not followed: the token would go with them. */
export async function ask(settings: RestSettings, question: Question): Promise<Answer> {
  const result = await settings.http({
    method: question.method,
    url: new URL(question.path, settings.address),
    headers: { ...authorization(settings), accept: 'application/json', ...typeOf(question.body) },
    body: bodyOf(question.body),
    idleTimeoutMs: settings.requestTimeoutMs,
    signal: AbortSignal.timeout(settings.requestTimeoutMs * 2),
  });
  if (result.kind === 'failed')
    return noAnswer(result.sent ? 'lost' : 'not-sent', scrub(settings, `no answer: ${result.message}`));
  const refusal = refusalOf(settings, result.answer);
  if (refusal !== null) {
    result.answer.close();
    return refusal;
  }
  return readWhole(settings, result.answer);
}

/** The answers by which a dashboard says that we may not ask, or not here; null for any other. */
export function refusalOf(settings: RestSettings, answer: HttpAnswer): NoAnswer | null {
  if (answer.status === 401)
    return noAnswer(
      'no-token',
      settings.token === null
        ? 'the dashboard asks for a token and there is none'
        : 'the token did not arrive',
    );
  if (answer.status === 403) return noAnswer('wrong-token', 'the dashboard refuses this token');
  if (answer.status >= 300 && answer.status < 400)
    return noAnswer('redirect', `the dashboard answers ${answer.status}: what it points to is not followed`);
  return null;
}

/** What a JSON answer says; anything else is no answer of a Ray that we know. */
export function parse<Value>(
  settings: RestSettings,
  answer: Answer,
  schema: z.ZodType<Value>,
): { readonly kind: 'said'; readonly value: Value } | NoAnswer {
  if (answer.kind === 'unknown') return answer;
  if (answer.status !== 200)
    return noAnswer('no-ray', `the dashboard answers ${answer.status}: ${lastLine(settings, answer.text)}`);
  const json = jsonOf(answer.text);
  const parsed = json === undefined ? undefined : schema.safeParse(json);
  if (parsed?.success === true) return { kind: 'said', value: parsed.data };
  const why = parsed === undefined ? `${answer.contentType || 'something'}` : z.prettifyError(parsed.error);
  return noAnswer('no-ray', `this is no answer of Ray that is known here: ${why}`);
}

/**
 * Ray's tracebacks say what is wrong in their last line; of a page of HTML nothing is worth repeating. Without secrets,
 * `more` among them, and bounded: what is cut is cut afterwards, because nobody finds half a secret.
 */
export function lastLine(settings: RestSettings, text: string, more: readonly string[] = []): string {
  const lines = text.split('\n').filter((line) => /[^\s.]/.test(line));
  const last = lines.at(-1)?.trim() ?? '';
  if (last.startsWith('<')) return 'a page of HTML';
  // The end of what was cut on its way may be half of one.
  const isTorn = last.length >= RAY_ANSWER_TEXT_MAX || text.length >= RAY_ANSWER_TEXT_MAX;
  const clean = scrub(settings, cutText(last, RAY_ANSWER_TEXT_MAX), more);
  const whole = isTorn ? cutText(clean, clean.length - limits.secretCharactersMax) : clean;
  return cutText(whole, limits.messageCharactersMax);
}

/** Without our token and what else is known to be secret. */
export function scrub(settings: RestSettings, text: string, more: readonly string[] = []): string {
  return redact(text, [...settings.secrets, ...(settings.token === null ? [] : [settings.token]), ...more]);
}

/** That the dashboard gave no answer that can be used, and why; the message is already without secrets. */
export function noAnswer(cause: NoAnswer['cause'], message: string): NoAnswer {
  return { kind: 'unknown', cause, message };
}

async function readWhole(settings: RestSettings, answer: HttpAnswer): Promise<Answer> {
  const body = await readWholeBody(answer, RAY_ANSWER_BYTES_MAX);
  switch (body.kind) {
    case 'too-large':
      return noAnswer('too-large', `the answer has more than ${RAY_ANSWER_BYTES_MAX} bytes`);
    case 'broken':
      return noAnswer('lost', scrub(settings, `the answer broke off: ${body.message}`));
    case 'whole':
      return { kind: 'answer', status: answer.status, contentType: answer.contentType, text: body.text };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function bodyOf(body: Question['body']): string | Uint8Array | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : JSON.stringify(body);
}

function typeOf(body: Question['body']): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  return { 'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json' };
}
