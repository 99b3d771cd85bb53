/** Sends one request to the API. Accepts only a whole answer with the expected status and schema. */

import { z } from 'zod';
import { cutText, parseJson } from '../../domain/values.ts';
import { type Fetch, fetchWhole } from '../../host/fetch-whole.ts';
import { redact } from '../../host/redactor.ts';
import type { VastCluster } from './definition.ts';

/** The account and its remaining credit. */
export type VastSession = {
  readonly kind: 'session';
  readonly id: string;
  readonly version: string;
  readonly credit: number | null;
};

const user = z.object({ id: z.int(), credit: z.number().nullish() });

/** Reads the account that the key belongs to. */
export async function readVastSession(
  settings: VastSettings,
): Promise<VastSession | Extract<Reply<never>, { kind: 'unknown' }>> {
  const said = await call(settings, { method: 'GET', path: '/api/v0/users/current' }, user);
  if (said.kind === 'unknown') return said;
  return { kind: 'session', id: String(said.value.id), version: 'v1', credit: said.value.credit ?? null };
}

export type VastSettings = {
  readonly cluster: VastCluster;
  /** The account's key; null if this runner has none. */
  readonly key: string | null;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  readonly fetch: Fetch;
};

export const VAST = {
  /** A page of the list has 25 rows of some kilobytes. A log request limits the number of lines. */
  answerBytesMax: 64 * 1024 * 1024,
  /** The list returns no more rows at once (docs.vast.ai). */
  pageRows: 25,
  /** This engine was not made for accounts with more instances. Without a limit, an endless list would never return. */
  pagesMax: 40,
  /** Pauses before each check for the label, after a create without a usable answer. */
  lookAgainMs: [0, 1_000, 3_000, 5_000],
  /** Number of offers to try. If many people want the same, the cheapest offers are taken first. */
  offersTried: 3,
  /** Vast.ai prepares a log within some seconds; the official client waits nine. */
  resultPolls: 30,
  resultPollMs: 300,
  /** Pause between two checks of an instance that should stop or be gone. */
  pollMs: 1_000,
  /** How long to wait for a destruction. The next observation continues to wait. */
  goneWaitMs: 15_000,
  /** Log lines to request first, and then in each further try that must reach back further. */
  logLines: [200, 2_000, 20_000, 200_000],
  /** One variable of a Linux process may have 128 KiB, all variables together 2 MiB. */
  packagePartCharacters: 96 * 1024,
  packageBytesMax: 1024 * 1024,
  /** Characters of an answer's text in our messages. */
  wordsMax: 300,
} as const;

export type VastRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the API's address. */
  readonly path: string;
  readonly body?: object;
  /** Values in the request that no message may repeat. */
  readonly secrets?: readonly string[];
};

/**
 * No usable answer. `not-sent`: the request certainly reached no server. `refused`: the API reported that it did nothing,
 * and `message` contains its text. `lost`: the request may have been executed.
 */
export type NoAnswer = {
  readonly kind: 'unknown';
  readonly cause: 'not-sent' | 'no-key' | 'too-often' | 'refused' | 'lost';
  readonly status: number | null;
  readonly message: string;
  /** The JSON body of a refusal or failure, if there was one. */
  readonly body: unknown;
};

export type Reply<Value> = { readonly kind: 'said'; readonly value: Value } | NoAnswer;

/** Part of every JSON answer. A `success` that is false is a refusal, even with status 200. */
const verdict = z.looseObject({
  success: z.boolean().optional(),
  error: z.union([z.string(), z.boolean()]).nullish(),
  msg: z.string().nullish(),
});

/** Asks once. Does not follow redirects, because their target would receive the key. */
export async function call<Value>(
  settings: VastSettings,
  question: VastRequest,
  schema: z.ZodType<Value>,
): Promise<Reply<Value>> {
  const { key, cluster } = settings;
  const secrets = [...(question.secrets ?? []), ...(key === null ? [] : [key])];
  if (key === null) return buildNoAnswer('no-key', null, `there is no ${cluster.keyFrom} on this runner`);
  const answer = await fetchText(settings, new URL(question.path, cluster.api), {
    method: question.method,
    headers: { authorization: `Bearer ${key}`, accept: 'application/json', 'content-type': 'application/json' },
    ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
  });
  if (answer.kind === 'unknown') return { ...answer, message: redact(answer.message, secrets) };
  return judgeVastAnswer(answer, schema, secrets);
}

function judgeVastAnswer<Value>(
  { status, text }: { readonly status: number; readonly text: string },
  schema: z.ZodType<Value>,
  secrets: readonly string[],
): Reply<Value> {
  const json = parseJson(text);
  const said = verdict.safeParse(json).data;
  const words = redact(cutText((said?.msg ?? String(said?.error ?? text)).trim(), VAST.wordsMax), secrets);
  if (status === 401) return buildNoAnswer('no-key', status, `Vast.ai refuses this key: ${words}`);
  if (status === 429) return buildNoAnswer('too-often', status, `Vast.ai was asked too often: ${words}`);
  if (status >= 500 || status < 200) return buildNoAnswer('lost', status, `Vast.ai answers ${status}: ${words}`, json);
  if (status !== 200 || said?.success === false || (said?.error ?? false) !== false)
    return buildNoAnswer('refused', status, `Vast.ai answers ${status}: ${words}`, json);
  const parsed = schema.safeParse(json);
  if (parsed.success) return { kind: 'said', value: parsed.data };
  const why = text === '' ? 'nothing' : redact(z.prettifyError(parsed.error), secrets);
  return buildNoAnswer('lost', status, `this is no answer of Vast.ai that is known here: ${why}`, json);
}

/** Reads a text from any address, such as a log. Sends no key except the one in `init`. */
export async function fetchText(
  settings: VastSettings,
  url: URL,
  init: RequestInit = {},
): Promise<{ readonly kind: 'text'; readonly status: number; readonly text: string } | NoAnswer> {
  const bounds = { timeoutMs: settings.cluster.requestTimeoutMs, bytesMax: VAST.answerBytesMax };
  const answer = await fetchWhole(settings.fetch, url.href, init, bounds);
  if (answer.kind === 'failed')
    return buildNoAnswer(
      answer.isSent ? 'lost' : 'not-sent',
      null,
      `no answer of Vast.ai: ${answer.message} (${answer.code})`,
    );
  // Latin 1 for logs: a job writes bytes, and offsets count bytes.
  const text = answer.bytes.toString(init.method === undefined ? 'latin1' : 'utf8');
  return { kind: 'text', status: answer.status, text };
}

/** The result if there is no usable answer, and why. */
export function buildNoAnswer(
  cause: NoAnswer['cause'],
  status: number | null,
  message: string,
  body: unknown = null,
): NoAnswer {
  return { kind: 'unknown', cause, status, message, body };
}
