/** Sends one request to a tracker and validates the answer. */

import * as z from 'zod';
import type { TrackerSilence } from '../domain/tracker.ts';
import { cutText } from '../domain/values.ts';
import { type Fetch, fetchWhole, type WholeAnswer } from '../host/fetch-whole.ts';
import { redact } from '../host/redactor.ts';
import { parseJsonWithNan } from './metrics-file.ts';

export type TrackerSettings = {
  /** Null: the tracker's default. */
  readonly address: string | null;
  readonly entity: string;
  readonly project: string;
  /** Null: no key. */
  readonly key: string | null;
};

/** Trackers answer within a second, and all runs of a watch wait for them. */
const TRACKER_TIMEOUT_MS = 10_000;
/** As for a metrics file: a summary has some hundred keys. */
const TRACKER_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** Pause after a timeout: with 200 runs, timeouts would take half an hour. */
export const TRACKER_PAUSE_MS = 60_000;
/** Maximum pause that a tracker can request. */
export const TRACKER_WAIT_MS_MAX = 60 * 60 * 1_000;
/** Characters of an answer that our messages quote. */
const TRACKER_WORDS_MAX = 200;

export type TrackerHost = { readonly fetch: Fetch; readonly now: () => number };

type AskSettings = {
  /** Base URL. Redirects are not followed, because they would receive the key. */
  readonly address: string;
  /** Authorization header; null: no key. */
  readonly authorization: string | null;
  readonly secrets: readonly string[];
};

export type TrackerQuestion = { readonly path: string; readonly body?: object };
export type TrackerReply<Value> = { readonly kind: 'said'; readonly value: Value } | TrackerSilence;
export type TrackerRequest = <Value>(
  question: TrackerQuestion,
  schema: z.ZodType<Value>,
) => Promise<TrackerReply<Value>>;

type TimedSilence = { readonly answer: TrackerSilence; readonly pauseMs: number };

/** After a rate limit or a timeout, the same answer is returned for a while without a request. */
export function createAsk({ fetch, now }: TrackerHost, settings: AskSettings): TrackerRequest {
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
    return buildSilence('unknown', `this is no answer that is known here: ${why}`).answer;
  };
}

async function askOnce(
  fetch: TrackerHost['fetch'],
  { address, authorization, secrets }: AskSettings,
  { path, body }: TrackerQuestion,
): Promise<{ readonly json: unknown } | TimedSilence> {
  const answer = await fetchWhole(
    fetch,
    new URL(path, endWithSlash(address)).href,
    {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(authorization === null ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    { timeoutMs: TRACKER_TIMEOUT_MS, bytesMax: TRACKER_ANSWER_BYTES_MAX },
  );
  return answer.kind === 'answer'
    ? judgeTrackerAnswer(answer, secrets)
    : buildSilence('unknown', `it does not answer (${answer.code})`, TRACKER_PAUSE_MS);
}

function judgeTrackerAnswer(
  { status, headers, bytes }: Extract<WholeAnswer, { kind: 'answer' }>,
  secrets: readonly string[],
): { readonly json: unknown } | TimedSilence {
  const text = bytes.toString('utf8');
  const words = redact(cutText(text.trim(), TRACKER_WORDS_MAX), secrets);
  if (status === 401 || status === 403)
    return buildSilence('denied', `it refuses this key (${status})`, TRACKER_PAUSE_MS);
  if (status === 404) return buildSilence('absent', words);
  if (status === 429) return buildSilence('limited', 'it is asked too often (429)', retryAfterMs(headers));
  if (status >= 300 && status < 400)
    return buildSilence('unknown', `it leads elsewhere (${status}), and the key is taken to no other address`);
  if (status !== 200) return buildSilence('unknown', `it answers ${status}: ${words}`, TRACKER_PAUSE_MS);
  const json = parseJsonWithNan(text);
  return json === undefined ? buildSilence('unknown', `it answers no JSON: ${words}`) : { json };
}

/** `Retry-After` or W&B's header in seconds, limited. */
function retryAfterMs(headers: Headers): number {
  const said = Number(headers.get('retry-after') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  const ms = Number.isFinite(said) && said >= 0 ? said * 1_000 : TRACKER_PAUSE_MS;
  return Math.min(ms, TRACKER_WAIT_MS_MAX);
}

function buildSilence(kind: TrackerSilence['kind'], message: string, pauseMs = 0): TimedSilence {
  return { answer: { kind, message }, pauseMs };
}

/** The base URL may have a path. */
function endWithSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}
