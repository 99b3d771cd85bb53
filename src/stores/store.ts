/** Checkpoints in a bucket: one delimited listing of the root, as Levanter does, and the metadata file of each folder. */

import pLimit from 'p-limit';
import { spendCapability } from '../domain/actions/capability.ts';
import {
  type CheckpointSize,
  type CheckpointStore,
  METADATA_FILE,
  type NewestLimit,
  namedStep,
  REMAINS_IDENTITY,
  type RemoveOutcome,
  type StoredCheckpoint,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import { type Instant, known, type Observed, unknown, withoutEndSlashes } from '../domain/values.ts';
import { type Fetch, fetchWhole } from '../host/fetch-whole.ts';

/** A page of a thousand objects has less than 1 MB. */
export const STORE_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const STORE_TIMEOUT_MS = 30_000;
/** Tries after *too many requests* or *internal error*. */
const STORE_TRIES_MAX = 4;
/** Before the second try; doubled each time. */
const STORE_RETRY_MS = 500;

export type StoreHost = { readonly fetch: Fetch; readonly sleep: (durationMs: number) => Promise<void> };

export type StoreAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Called for each try, because signatures and tokens expire. */
export type StoreRequest = () => Promise<
  Observed<{ readonly method: 'GET' | 'DELETE'; readonly url: string; readonly headers: Headers }>
>;

/** Retries temporary failures; reads and deletions are idempotent. */
export async function requestStore(
  host: StoreHost,
  request: StoreRequest,
  bytesMax: number = STORE_ANSWER_BYTES_MAX,
): Promise<Observed<StoreAnswer>> {
  for (let attempt = 1; ; attempt += 1) {
    const made = await request();
    if (made.kind === 'unknown') return made;
    const answer = await requestOnce(host, made.value, bytesMax);
    const isBusy = answer.kind === 'unknown' || answer.value.status === 429 || answer.value.status >= 500;
    if (!isBusy || attempt >= STORE_TRIES_MAX) return answer;
    await host.sleep(STORE_RETRY_MS * 2 ** (attempt - 1));
  }
}

/** The store's error in a few words. */
export function refusal({ status, text }: StoreAnswer): { readonly kind: 'unknown'; readonly why: string } {
  const words = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
  return unknown(`status ${status}${words === '' ? '' : `: ${words}`}`);
}

async function requestOnce(
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
  readonly removeEmptyFolders: (prefix: string) => Promise<void>;
};

/** `metadata.json` has three values. */
const CHECKPOINT_METADATA_BYTES_MAX = 64 * 1024;
/** Enough for a million steps with a checkpoint every thousand. */
const CHECKPOINTS_PER_ROOT_MAX = 5_000;
/** Reads a thousand checkpoints within seconds. */
const STORE_PARALLEL_MAX = 8;
/** Listings may show deleted objects for a moment. */
const CHECKPOINT_GONE_WAIT_MS = 30_000;
const CHECKPOINT_GONE_PERIOD_MS = 2_000;

export type StoreParts = {
  readonly bucket: Bucket;
  /** Prefix of paths: `gs://BUCKET/`, or `/`. */
  readonly base: string;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** A checkpoint store in a bucket. */
export function createStore(parts: StoreParts): CheckpointStore {
  return {
    list: (root) => listCheckpoints(parts, root, (keys) => keys),
    newest: (root, wanted) => listCheckpoints(parts, root, (keys) => selectNewest(keys, wanted)),
    measure: async (path) => {
      const objects = await listObjects(parts, path);
      return objects.kind === 'unknown' ? objects : known(sumSizes(objects.value));
    },
    remove: async (path, step, permit) => {
      spendCapability(permit, step);
      const [, target, identity] = step.command;
      if (target !== path || identity === undefined) throw new Error(`${path} is not what was consented to`);
      return removeCheckpoint(parts, path, identity);
    },
  };
}

/** `read` selects the folders whose metadata is read. */
async function listCheckpoints(
  parts: StoreParts,
  root: StorePath,
  read: (keys: readonly string[]) => readonly string[],
): Promise<Observed<readonly StoredCheckpoint[]>> {
  const key = objectKey(parts, root);
  const top = await listPages(parts, { prefix: folderPrefix(key), isDeep: false }, CHECKPOINTS_PER_ROOT_MAX);
  if (top.kind === 'unknown') return top;
  const { folders, objects } = top.value;
  const isItself = objects.some((one) => one.key === `${folderPrefix(key)}${METADATA_FILE}`);
  const keys = read([...folders.map((folder) => folder.replace(/\/$/, '')), ...(isItself ? [key] : [])]);
  const metadata = await pLimit(STORE_PARALLEL_MAX).map(keys, (one) =>
    parts.bucket.read(`${folderPrefix(one)}${METADATA_FILE}`, CHECKPOINT_METADATA_BYTES_MAX),
  );
  return known(
    keys.map((one, index) => ({
      path: `${parts.base}${one}`,
      root,
      metadata: metadata[index] ?? unknown('it was not read'),
    })),
  );
}

/** Names without a step come last. */
function selectNewest(keys: readonly string[], { most, upTo }: NewestLimit): readonly string[] {
  const stepOfKey = (key: string): number => namedStep(key) ?? -1;
  return keys
    .filter((key) => stepOfKey(key) <= upTo)
    .toSorted((a, b) => stepOfKey(b) - stepOfKey(a))
    .slice(0, most);
}

async function listObjects(parts: StoreParts, path: StorePath): Promise<Observed<readonly StoredObject[]>> {
  const query = { prefix: folderPrefix(objectKey(parts, path)), isDeep: true };
  const all = await listPages(parts, query, limits.checkpointObjectsMax);
  return all.kind === 'unknown' ? all : known(all.value.objects);
}

/** All pages, or unknown: a partial listing would make objects look missing. */
async function listPages(
  { bucket }: StoreParts,
  query: { readonly prefix: string; readonly isDeep: boolean },
  most: number,
): Promise<Observed<Omit<BucketPage, 'next'>>> {
  const folders = new Set<string>();
  const objects: StoredObject[] = [];
  let after: string | null = null;
  do {
    const page: Observed<BucketPage> = await bucket.page({ ...query, after });
    if (page.kind === 'unknown') return page;
    const odd = [...page.value.folders, ...page.value.objects.map(({ key }) => key)].find(
      (key) => !isBelow(key, query.prefix),
    );
    if (odd !== undefined) return unknown(`the listing of ${query.prefix} lists ${odd}`);
    for (const folder of page.value.folders) folders.add(folder);
    objects.push(...page.value.objects);
    if (folders.size + objects.length > most) return unknown(`more than ${most} entries below ${query.prefix}`);
    if (page.value.next !== null && page.value.next === after) return unknown('the listing does not go on');
    after = page.value.next;
  } while (after !== null);
  return known({ folders: [...folders], objects });
}

/** Rejects keys with `.` or `..`: a job may choose any name, and such an address leads to another object. */
function isBelow(key: string, prefix: string): boolean {
  return key.startsWith(prefix) && key.split('/').every((part) => part !== '.' && part !== '..');
}

/** Deletes `metadata.json` first, and only with the observed content; then the rest; then verifies. */
async function removeCheckpoint(parts: StoreParts, path: StorePath, identity: string): Promise<RemoveOutcome> {
  const { bucket } = parts;
  const prefix = folderPrefix(objectKey(parts, path));
  const file = `${prefix}${METADATA_FILE}`;
  const objects = await listObjects(parts, path);
  if (objects.kind === 'unknown') return { kind: 'failed', why: objects.why };
  const seen = await bucket.read(file, CHECKPOINT_METADATA_BYTES_MAX);
  if (seen.kind === 'unknown') return { kind: 'failed', why: seen.why };
  if ((seen.value?.identity ?? REMAINS_IDENTITY) !== identity)
    return { kind: 'failed', why: `${METADATA_FILE} is not the one that was seen` };
  if (seen.value !== null) {
    const first = await bucket.remove(file, identity);
    if (first.kind === 'unknown') return { kind: 'unknown', why: first.why };
    if (first.value === 'changed') return { kind: 'failed', why: `${METADATA_FILE} was written anew` };
  }
  const rest = objects.value.filter(({ key }) => key !== file);
  const removed = await pLimit(STORE_PARALLEL_MAX).map(rest, ({ key, identity }) => bucket.remove(key, identity));
  const failed = removed.find((one) => one.kind === 'unknown');
  if (failed?.kind === 'unknown') return { kind: 'left', why: failed.why };
  if (removed.some((one) => one.kind === 'known' && one.value === 'changed'))
    return { kind: 'left', why: 'something there was written anew meanwhile' };
  await bucket.removeEmptyFolders(prefix);
  return verifyRemoved(parts, path, sumSizes(objects.value));
}

async function verifyRemoved(parts: StoreParts, path: StorePath, size: CheckpointSize): Promise<RemoveOutcome> {
  const looks = Math.ceil(CHECKPOINT_GONE_WAIT_MS / CHECKPOINT_GONE_PERIOD_MS);
  for (let look = 0; ; look += 1) {
    const left = await listObjects(parts, path);
    if (left.kind === 'known' && left.value.length === 0) return { kind: 'gone', removed: size };
    if (look >= looks)
      return left.kind === 'unknown'
        ? { kind: 'unknown', why: left.why }
        : { kind: 'left', why: `${left.value.length} objects are still there` };
    await parts.sleep(CHECKPOINT_GONE_PERIOD_MS);
  }
}

function sumSizes(objects: readonly { readonly bytes: number }[]): CheckpointSize {
  return { objects: objects.length, bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function objectKey({ base }: StoreParts, path: StorePath): string {
  if (!path.startsWith(base)) throw new Error(`${path} is not in ${base}`);
  return withoutEndSlashes(path.slice(base.length));
}

function folderPrefix(key: string): string {
  return key === '' ? '' : `${key}/`;
}
