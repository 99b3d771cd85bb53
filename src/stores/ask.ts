/** One HTTPS request to a store, bounded in time, size and retries, without redirects. Expected failures are values. */

import { type Instant, known, type Observed, unknown } from '../domain/values.ts';
import { type Fetch, fetchWhole } from '../host/fetch-whole.ts';

/** A page of a thousand objects has less than 1 MB. */
export const STORE_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const STORE_TIMEOUT_MS = 30_000;
/** Tries after *too many requests* or *internal error*. */
const STORE_TRIES_MAX = 4;
/** Before the second try; doubled each time. */
const STORE_RETRY_MS = 500;

export type StoreHost = {
  readonly fetch: Fetch;
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
  { fetch }: StoreHost,
  { method, url, headers }: { readonly method: string; readonly url: string; readonly headers: Headers },
  bytesMax: number,
): Promise<Observed<StoreAnswer>> {
  const answer = await fetchWhole(fetch, url, { method, headers }, { timeoutMs: STORE_TIMEOUT_MS, bytesMax });
  if (answer.kind === 'failed') return unknown(answer.message);
  return known({ status: answer.status, headers: answer.headers, text: answer.bytes.toString('utf8') });
}

/** `identity`: the version id of the content. */
export type StoredObject = { readonly key: string; readonly bytes: number; readonly identity: string };

/** Keys are paths within the bucket, without a leading slash. */
export type BucketPage = {
  /** With a delimiter: direct subfolders, each with a trailing slash. */
  readonly folders: readonly string[];
  readonly objects: readonly StoredObject[];
  /** Null on the last page. */
  readonly next: string | null;
};

export type PageQuery = {
  /** Empty, or with a trailing slash. */
  readonly prefix: string;
  /** All levels instead of one. */
  readonly isDeep: boolean;
  readonly after: string | null;
};

export type BucketFile = { readonly text: string; readonly writtenAt: Instant; readonly identity: string };

export type Bucket = {
  readonly page: (query: PageQuery) => Promise<Observed<BucketPage>>;
  /** `known(null)`: no such file. Unknown if it is too large. */
  readonly read: (key: string, bytesMax: number) => Promise<Observed<BucketFile | null>>;
  /** `removed` also if it was already gone. `changed`: other content, not deleted; not every S3 supports this condition. */
  readonly remove: (key: string, identity: string) => Promise<Observed<'removed' | 'changed'>>;
  /** Removes empty folders in stores that have folders. */
  readonly tidy: (prefix: string) => Promise<void>;
};
