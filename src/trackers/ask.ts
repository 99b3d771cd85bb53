/** One question to a tracker and its whole answer, by status and schema; anything else is no answer. */

import * as z from 'zod';
import { cutText } from '../domain/cut-text.ts';
import type { TrackerSilence } from '../domain/tracker.ts';
import { codeOf } from '../host/publish-once.ts';
import { redact } from '../host/redactor.ts';
import { parseLoosely } from './values.ts';

/** A tracker answers within a second; it is one witness of several, and all runs of a watch wait for it. */
const TRACKER_TIMEOUT_MS = 10_000;
/** The same as of a file of metrics: a summary has some hundred keys. */
const TRACKER_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** After no answer it is left alone for so long: with two hundred runs the time-outs would take half an hour. */
export const TRACKER_PAUSE_MS = 60_000;
/** The longest pause that a tracker may ask for: beyond it a mistake there would blind the watch. */
export const TRACKER_WAIT_MS_MAX = 60 * 60 * 1_000;
/** An answer's own words in our messages. */
const TRACKER_WORDS_MAX = 200;

/** What a tracker needs from its surroundings. */
export type TrackerHost = {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
};

export type AskSettings = {
  /** The base of every question; an answer that leads elsewhere is not followed: the key would go along. */
  readonly address: string;
  /** The header's value; null: asked without a key. */
  readonly authorization: string | null;
  readonly secrets: readonly string[];
};

export type Question = { readonly path: string; readonly body?: object };
export type Said<Value> = { readonly kind: 'said'; readonly value: Value } | TrackerSilence;
export type Ask = <Value>(question: Question, schema: z.ZodType<Value>) => Promise<Said<Value>>;

type Silence = { readonly answer: TrackerSilence; readonly pauseMs: number };

/**
 * Asks once each. After a tracker has said that it is asked too often, or has not answered, the next questions are answered
 * with that for a while: with two hundred runs the time-outs alone would take hours, and it is only one witness.
 */
export function createAsk({ fetch, now }: TrackerHost, settings: AskSettings): Ask {
  let paused: { readonly untilMs: number; readonly answer: TrackerSilence } | null = null;
  return async (question, schema) => {
    if (paused !== null && now() < paused.untilMs) return paused.answer;
    paused = null;
    const said = await askOnce(fetch, settings, question);
    if ('pauseMs' in said) {
      if (said.pauseMs > 0) paused = { untilMs: now() + said.pauseMs, answer: said.answer };
      return said.answer;
    }
    const parsed = schema.safeParse(said.json);
    if (parsed.success) return { kind: 'said', value: parsed.data };
    const why = redact(z.prettifyError(parsed.error), settings.secrets);
    return silence('unknown', `this is no answer that is known here: ${why}`).answer;
  };
}

async function askOnce(
  fetch: TrackerHost['fetch'],
  { address, authorization, secrets }: AskSettings,
  { path, body }: Question,
): Promise<{ readonly json: unknown } | Silence> {
  try {
    const response = await fetch(new URL(path, withSlash(address)), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(authorization === null ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TRACKER_TIMEOUT_MS),
    });
    const text = await textOf(response);
    if (text === null)
      return silence('unknown', `the answer has more than ${TRACKER_ANSWER_BYTES_MAX} bytes`);
    return judge(response, text, secrets);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = codeOf(error.cause) ?? error.name;
    return silence('unknown', `it does not answer (${code})`, TRACKER_PAUSE_MS);
  }
}

function judge(
  response: Response,
  text: string,
  secrets: readonly string[],
): { readonly json: unknown } | Silence {
  const { status, headers } = response;
  const words = redact(cutText(text.trim(), TRACKER_WORDS_MAX), secrets);
  if (status === 401 || status === 403)
    return silence('denied', `it refuses this key (${status})`, TRACKER_PAUSE_MS);
  if (status === 404) return silence('absent', words);
  if (status === 429) return silence('limited', 'it is asked too often (429)', waitMs(headers));
  if (status >= 300 && status < 400)
    return silence('unknown', `it leads elsewhere (${status}), and the key is taken to no other address`);
  if (status !== 200) return silence('unknown', `it answers ${status}: ${words}`, TRACKER_PAUSE_MS);
  try {
    return { json: parseLoosely(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return silence('unknown', `it answers no JSON: ${words}`);
    throw error;
  }
}

/** Seconds, as `Retry-After` or as W&B says it; never so long that a mistake there would blind the watch for a day. */
function waitMs(headers: Headers): number {
  const said = Number(headers.get('retry-after') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  const ms = Number.isFinite(said) && said >= 0 ? said * 1_000 : TRACKER_PAUSE_MS;
  return Math.min(ms, TRACKER_WAIT_MS_MAX);
}

async function textOf(response: Response): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > TRACKER_ANSWER_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function silence(kind: TrackerSilence['kind'], message: string, pauseMs = 0): Silence {
  return { answer: { kind, message }, pauseMs };
}

/** An address may have a path of its own, behind which the questions go. */
function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}
