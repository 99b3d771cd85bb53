/** Opens a checkpoint store by path. */

import { z } from 'zod';
import {
  type CheckpointReader,
  type CheckpointStore,
  hasUnsafeParts,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import { fromRfc3339, known, type Observed, parseJson, unknown, withoutEndSlashes } from '../domain/values.ts';
import { runProgram } from '../host/process.ts';
import { createS3Bucket, folderBucket } from './buckets.ts';
import {
  type Bucket,
  type BucketFile,
  type BucketPage,
  createStore,
  type PageQuery,
  refusal,
  requestStore,
  type StoreAnswer,
  type StoreHost,
} from './store.ts';

type GcsPlace = {
  /** `https://storage.googleapis.com`, or an emulator. */
  readonly endpoint: string;
  readonly bucket: string;
  /** A current token; null: anonymous access. */
  readonly token: () => Promise<Observed<string | null>>;
};

const generation = z.coerce.string().regex(/^\d+$/);

const pageSchema = z.looseObject({
  prefixes: z.array(z.string()).default([]),
  // The API writes 64-bit numbers as text.
  items: z
    .array(z.looseObject({ name: z.string(), size: z.coerce.number().int().nonnegative(), generation }))
    .default([]),
  nextPageToken: z.string().min(1).optional(),
});

const objectSchema = z.looseObject({ generation, updated: z.string(), size: z.coerce.number().int().nonnegative() });

/** A Google Cloud Storage bucket. */
function createGcsBucket(host: StoreHost, place: GcsPlace): Bucket {
  const call = (method: 'GET' | 'DELETE', path: string, query: Readonly<Record<string, string>>) =>
    requestStore(host, async () => {
      const token = await place.token();
      if (token.kind === 'unknown') return token;
      const headers = new Headers(token.value === null ? {} : { authorization: `Bearer ${token.value}` });
      const url = `${place.endpoint}/storage/v1/b/${encodeURIComponent(place.bucket)}/o${path}?${new URLSearchParams(query)}`;
      return known({ method, url, headers });
    });
  const objectPath = (key: string): string => `/${encodeURIComponent(key)}`;
  return {
    page: async (query) => {
      const answer = await call('GET', '', pageQuery(query));
      return answer.kind === 'unknown' ? answer : readPage(answer.value);
    },
    read: async (key, bytesMax) => {
      const found = await call('GET', objectPath(key), { fields: 'generation,updated,size' });
      if (found.kind === 'unknown') return found;
      if (found.value.status === 404) return known(null);
      const object = parseAnswer(found.value, objectSchema);
      if (object.kind === 'unknown') return object;
      const { generation, updated, size } = object.value;
      const writtenAt = fromRfc3339(updated);
      if (writtenAt === null) return unknown(`the time ${updated}`);
      if (size > bytesMax) return unknown(`${size} bytes`);
      // The same generation, so that a concurrent rewrite is noticed.
      const media = await call('GET', objectPath(key), { alt: 'media', generation });
      if (media.kind === 'unknown') return media;
      if (media.value.status !== 200) return refusal(media.value);
      return known<BucketFile>({ text: media.value.text, writtenAt, identity: generation });
    },
    remove: async (key, identity) => {
      const answer = await call('DELETE', objectPath(key), { ifGenerationMatch: identity });
      if (answer.kind === 'unknown') return answer;
      const { status } = answer.value;
      if (status === 412) return known('changed');
      return status === 404 || (status >= 200 && status < 300) ? known('removed') : refusal(answer.value);
    },
    removeEmptyFolders: async () => undefined,
  };
}

function pageQuery({ prefix, isDeep, after }: PageQuery): Readonly<Record<string, string>> {
  return {
    prefix,
    maxResults: String(limits.storePageObjects),
    fields: 'prefixes,items(name,size,generation),nextPageToken',
    ...(isDeep ? {} : { delimiter: '/' }),
    ...(after === null ? {} : { pageToken: after }),
  };
}

function readPage(answer: StoreAnswer): Observed<BucketPage> {
  const page = parseAnswer(answer, pageSchema);
  if (page.kind === 'unknown') return page;
  const { prefixes, items, nextPageToken } = page.value;
  return known({
    folders: prefixes,
    objects: items.map(({ name, size, generation: identity }) => ({ key: name, bytes: size, identity })),
    next: nextPageToken ?? null,
  });
}

function parseAnswer<Shape>(answer: StoreAnswer, schema: z.ZodType<Shape>): Observed<Shape> {
  if (answer.status !== 200) return refusal(answer);
  const json = parseJson(answer.text);
  if (json === undefined) return unknown('an answer that is no JSON');
  const read = schema.safeParse(json);
  return read.success ? known(read.data) : unknown(`an answer of another form: ${z.prettifyError(read.error)}`);
}

/** gcloud returns the same token until shortly before its expiry after an hour. */
const STORE_TOKEN_LIFETIME_MS = 5 * 60 * 1_000;

export type StoreEnvironment = Readonly<Record<string, string | undefined>>;

export type StoreOpener = {
  readonly host: StoreHost;
  readonly environment: StoreEnvironment;
  readonly now: () => number;
};

/** The store for a path, by scheme and environment; unknown for other paths or without credentials. */
export function openStore(opener: StoreOpener, path: StorePath): Observed<CheckpointReader> {
  const store = openStoreToDelete(opener, path);
  if (store.kind === 'unknown') return store;
  const { list, newest, measure } = store.value;
  return known({ list, newest, measure });
}

/** Includes deletion, for the process that executes consented deletions. */
export function openStoreToDelete(opener: StoreOpener, path: StorePath): Observed<CheckpointStore> {
  const { sleep } = opener.host;
  const place = /^(gs|s3):\/\/([a-z0-9][a-z0-9._-]{1,220})(?:\/|$)/.exec(path);
  const [, scheme, bucket = ''] = place ?? [];
  if (hasUnsafeParts(path)) return unknown(`${path} is no plain path`);
  if (scheme === 'gs') {
    const gcs = createGcsBucket(opener.host, gcsPlace(opener, bucket));
    return known(createStore({ bucket: gcs, base: `gs://${bucket}/`, sleep }));
  }
  if (scheme === 's3') {
    const s3 = s3Settings(opener, bucket);
    if (s3.kind === 'unknown') return s3;
    return known(createStore({ bucket: createS3Bucket(opener.host, s3.value), base: `s3://${bucket}/`, sleep }));
  }
  if (!path.startsWith('/')) return unknown(`${path} is no gs://, no s3:// and no absolute path`);
  return known(createStore({ bucket: folderBucket, base: '/', sleep }));
}

/** The variables of Google's clients; without an emulator, uses a gcloud token. */
function gcsPlace({ environment, now }: StoreOpener, bucket: string): Parameters<typeof createGcsBucket>[1] {
  const emulator = environment['STORAGE_EMULATOR_HOST'] ?? '';
  if (emulator !== '') {
    const endpoint = /^https?:\/\//.test(emulator) ? emulator : `http://${emulator}`;
    return { endpoint: withoutEndSlashes(endpoint), bucket, token: async () => known(null) };
  }
  let held: { readonly token: string; readonly asked: number } | null = null;
  return {
    endpoint: 'https://storage.googleapis.com',
    bucket,
    token: async () => {
      if (held !== null && now() - held.asked < STORE_TOKEN_LIFETIME_MS) return known(held.token);
      const token = await readGcloudToken(environment);
      if (token.kind === 'known') held = { token: token.value, asked: now() };
      return token;
    },
  };
}

async function readGcloudToken(environment: StoreEnvironment): Promise<Observed<string>> {
  const passed = ['PATH', 'HOME', 'CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS'].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...Object.fromEntries(passed), CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
  const { ok, kind, code, stdout } = await runProgram('gcloud', ['auth', 'print-access-token'], { env });
  const token = stdout.trim();
  // The output may contain a token, so it is not reported.
  if (!ok || !/^[\w.~+/=-]{20,4096}$/.test(token)) return unknown(`gcloud gave no token: ${code ?? kind}`);
  return known(token);
}

function s3Settings({ environment, now }: StoreOpener, bucket: string): Observed<Parameters<typeof createS3Bucket>[1]> {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  if (accessKeyId === '' || secretAccessKey === '')
    return unknown('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not given');
  return known({
    endpoint: environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL'] ?? null,
    region: environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    bucket,
    accessKeyId,
    secretAccessKey,
    sessionToken: environment['AWS_SESSION_TOKEN'] ?? null,
    now,
  });
}
