/** Opens a checkpoint store by path. */

import {
  type CheckpointReader,
  type CheckpointStore,
  hasOddParts,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { withoutEndSlashes } from '../domain/end-slashes.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { runProgram } from '../host/process.ts';
import type { StoreHost } from './ask.ts';
import { folderBucket } from './folder.ts';
import { createGcsBucket } from './gcs.ts';
import { createS3Bucket } from './s3.ts';
import { createStore } from './store.ts';

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
  if (hasOddParts(path)) return unknown(`${path} is no plain path`);
  if (scheme === 'gs') {
    const gcs = createGcsBucket(opener.host, gcsPlace(opener, bucket));
    return known(createStore({ bucket: gcs, base: `gs://${bucket}/`, sleep }));
  }
  if (scheme === 's3') {
    const s3 = s3Place(opener, bucket);
    if (s3.kind === 'unknown') return s3;
    return known(
      createStore({ bucket: createS3Bucket(opener.host, s3.value), base: `s3://${bucket}/`, sleep }),
    );
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
      const token = await gcloudToken(environment);
      if (token.kind === 'known') held = { token: token.value, asked: now() };
      return token;
    },
  };
}

async function gcloudToken(environment: StoreEnvironment): Promise<Observed<string>> {
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

/** The variables of Amazon's clients. */
function s3Place(
  { environment, now }: StoreOpener,
  bucket: string,
): Observed<Parameters<typeof createS3Bucket>[1]> {
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
