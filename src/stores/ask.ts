/** One HTTPS request to a store, bounded in time, size and retries, without redirects. Expected failures are values. */

import { known, type Observed, unknown } from '../domain/observed.ts';

/** A page of a thousand objects has less than 1 MB. */
export const STORE_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const STORE_TIMEOUT_MS = 30_000;
/** Tries after *too many requests* or *internal error*. */
const STORE_TRIES_MAX = 4;
/** Before the second try; doubled each time. */
const STORE_RETRY_MS = 500;

export type StoreHost = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

export type StoreAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Called for each try, because signatures and tokens expire. */
export type StoreRequest = () => Promise<
  Observed<{ readonly method: 'GET' | 'DELETE'; readonly url: string; readonly headers: Headers }>
>;

/** Retries temporary failures; reads and deletions are idempotent. */
export async function ask(
  host: StoreHost,
  request: StoreRequest,
  bytesMax: number = STORE_ANSWER_BYTES_MAX,
): Promise<Observed<StoreAnswer>> {
  for (let attempt = 1; ; attempt += 1) {
    const made = await request();
    if (made.kind === 'unknown') return made;
    const answer = await once(host, made.value, bytesMax);
    const isBusy = answer.kind === 'unknown' || answer.value.status === 429 || answer.value.status >= 500;
    if (!isBusy || attempt >= STORE_TRIES_MAX) return answer;
    await host.sleep(STORE_RETRY_MS * 2 ** (attempt - 1));
  }
}

/** The store's error in a few words. */
export function saidNo({ status, text }: StoreAnswer): { readonly kind: 'unknown'; readonly why: string } {
  const words = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
  return unknown(`status ${status}${words === '' ? '' : `: ${words}`}`);
}

async function once(
  host: StoreHost,
  { method, url, headers }: { readonly method: string; readonly url: string; readonly headers: Headers },
  bytesMax: number,
): Promise<Observed<StoreAnswer>> {
  try {
    const signal = AbortSignal.timeout(STORE_TIMEOUT_MS);
    const response = await host.fetch(url, { method, headers, redirect: 'manual', signal });
    const text = await bounded(response, bytesMax);
    if (text === null) return unknown(`an answer of more than ${bytesMax} bytes`);
    return known({ status: response.status, headers: response.headers, text });
  } catch (error) {
    // fetch throws TypeError for broken transport and DOMException for a timeout.
    if (error instanceof TypeError || error instanceof DOMException) return unknown(reasonOf(error));
    throw error;
  }
}

function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}

async function bounded(response: Response, bytesMax: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    // Leaving the loop cancels the body.
    if (size > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
