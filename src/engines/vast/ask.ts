/** One question to the API and its whole answer, by status and schema; anything else is no answer. */

import { z } from 'zod';
import { cutText, jsonIn } from '../../domain/values.ts';
import { type Fetch, fetchWhole } from '../../host/fetch-whole.ts';
import { redact } from '../../host/redactor.ts';
import type { VastCluster } from './definition.ts';

/** The account, and what it can still pay. */
export type VastSession = {
  readonly kind: 'session';
  readonly id: string;
  readonly version: string;
  readonly credit: number | null;
};

const user = z.object({ id: z.int(), credit: z.number().nullish() });

/** Asks who we are. */
export async function readVastSession(
  settings: VastSettings,
): Promise<VastSession | Extract<Said<never>, { kind: 'unknown' }>> {
  const said = await ask(settings, { method: 'GET', path: '/api/v0/users/current' }, user);
  if (said.kind === 'unknown') return said;
  return { kind: 'session', id: String(said.value.id), version: 'v1', credit: said.value.credit ?? null };
}

export type VastSettings = {
  readonly cluster: VastCluster;
  /** The account's key; null where this runner has none. */
  readonly key: string | null;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  readonly fetch: Fetch;
};

/** Bounds of the conversation with the API. */
export const VAST = {
  /** A page of the list has 25 rows of some kilobytes; a log is asked for in lines. */
  answerBytesMax: 64 * 1024 * 1024,
  /** The list gives no more at once (docs.vast.ai). */
  pageRows: 25,
  /** An account with more instances than that is none that this was made for: a list without an end would never return. */
  pagesMax: 40,
  /** After a create without a usable answer, the label is looked for at once and after these pauses. */
  lookAgainMs: [0, 1_000, 3_000, 5_000],
  /** Offers that are tried: the cheapest are gone first when many look for the same. */
  offersTried: 3,
  /** A log is made ready within some seconds: the official client waits nine. */
  resultPolls: 30,
  resultPollMs: 300,
  /** Between two looks at an instance that shall stop or be gone. */
  pollMs: 1_000,
  /** A destruction is looked after for so long; the next look goes on with it. */
  goneWaitMs: 15_000,
  /** Lines of a log that are asked for first, and then if that does not reach back far enough. */
  logLines: [200, 2_000, 20_000, 200_000],
  /** One variable of a Linux process may have 128 KiB, all of them 2 MiB. */
  packagePartCharacters: 96 * 1024,
  packageBytesMax: 1024 * 1024,
  /** An answer's own words in our messages. */
  wordsMax: 300,
} as const;

export type Question = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the API's address. */
  readonly path: string;
  readonly body?: object;
  /** Values of the question that no message may repeat. */
  readonly secrets?: readonly string[];
};

/**
 * No usable answer. `not-sent`: it certainly reached nobody. `refused`: the API said that it did not do it, with what is left
 * of its words. `lost`: it may have been done.
 */
export type NoAnswer = {
  readonly kind: 'unknown';
  readonly cause: 'not-sent' | 'no-key' | 'too-often' | 'refused' | 'lost';
  readonly status: number | null;
  readonly message: string;
  /** What an answer that said no had in it all the same. */
  readonly body: unknown;
};

export type Said<Value> = { readonly kind: 'said'; readonly value: Value } | NoAnswer;

/** Every JSON answer: a `success` that is not true is a no, whatever the status. */
const verdict = z.looseObject({
  success: z.boolean().optional(),
  error: z.union([z.string(), z.boolean()]).nullish(),
  msg: z.string().nullish(),
});

/** Asks once. Redirects are not followed: the key would go with them. */
export async function ask<Value>(
  settings: VastSettings,
  question: Question,
  schema: z.ZodType<Value>,
): Promise<Said<Value>> {
  const { key, cluster } = settings;
  const secrets = [...(question.secrets ?? []), ...(key === null ? [] : [key])];
  if (key === null) return noAnswer('no-key', null, `there is no ${cluster.keyFrom} on this runner`);
  const answer = await askForText(settings, new URL(question.path, cluster.api), {
    method: question.method,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
  });
  if (answer.kind === 'unknown') return { ...answer, message: redact(answer.message, secrets) };
  return judge(answer, schema, secrets);
}

function judge<Value>(
  { status, text }: { readonly status: number; readonly text: string },
  schema: z.ZodType<Value>,
  secrets: readonly string[],
): Said<Value> {
  const json = jsonIn(text);
  const said = verdict.safeParse(json).data;
  const words = redact(cutText((said?.msg ?? String(said?.error ?? text)).trim(), VAST.wordsMax), secrets);
  if (status === 401) return noAnswer('no-key', status, `Vast.ai refuses this key: ${words}`);
  if (status === 429) return noAnswer('too-often', status, `Vast.ai was asked too often: ${words}`);
  if (status >= 500 || status < 200)
    return noAnswer('lost', status, `Vast.ai answers ${status}: ${words}`, json);
  if (status !== 200 || said?.success === false || (said?.error ?? false) !== false)
    return noAnswer('refused', status, `Vast.ai answers ${status}: ${words}`, json);
  const parsed = schema.safeParse(json);
  if (parsed.success) return { kind: 'said', value: parsed.data };
  const why = text === '' ? 'nothing' : redact(z.prettifyError(parsed.error), secrets);
  return noAnswer('lost', status, `this is no answer of Vast.ai that is known here: ${why}`, json);
}

/** A text at any address, such as that of a log; no key is sent but what `init` has. */
export async function askForText(
  settings: VastSettings,
  url: URL,
  init: RequestInit = {},
): Promise<{ readonly kind: 'text'; readonly status: number; readonly text: string } | NoAnswer> {
  const bounds = { timeoutMs: settings.cluster.requestTimeoutMs, bytesMax: VAST.answerBytesMax };
  const answer = await fetchWhole(settings.fetch, url.href, init, bounds);
  if (answer.kind === 'failed')
    return noAnswer(
      answer.isSent ? 'lost' : 'not-sent',
      null,
      `no answer of Vast.ai: ${answer.message} (${answer.code})`,
    );
  // Latin 1: what a job says is bytes, and is counted in bytes.
  const text = answer.bytes.toString(init.method === undefined ? 'latin1' : 'utf8');
  return { kind: 'text', status: answer.status, text };
}

/** That there is no usable answer, and why. */
export function noAnswer(
  cause: NoAnswer['cause'],
  status: number | null,
  message: string,
  body: unknown = null,
): NoAnswer {
  return { kind: 'unknown', cause, status, message, body };
}
