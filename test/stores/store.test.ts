/**
 * A store over a bucket without conditional requests: it still deletes only what was listed, and a listing
 * is complete or unknown.
 */

import { expect, it } from 'vitest';
import { deletionStep } from '../../src/domain/checkpoint/stored.ts';
import { brandAs, isInstant, known } from '../../src/domain/values.ts';
import { createS3Bucket } from '../../src/stores/buckets.ts';
import { type Bucket, createStore } from '../../src/stores/store.ts';
import { permitFor } from '../support/capabilities.ts';

const PATH = 's3://lab/run/step-1';

/** Objects by key, with a version number; `remove` deletes any version. */
function bucketOf(objects: Map<string, number>): Bucket {
  return {
    page: async ({ prefix }) => {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
      const listed = keys.map((key) => ({ key, bytes: 1, identity: String(objects.get(key)) }));
      return known({ folders: [], objects: listed, next: null });
    },
    read: async (key) => {
      const version = objects.get(key);
      if (version === undefined) return known(null);
      return known({ text: '{}', writtenAt: brandAs(1, isInstant), identity: String(version) });
    },
    remove: async (key) => {
      objects.delete(key);
      return known('removed');
    },
    removeEmptyFolders: async () => undefined,
  };
}

it('deletes nothing with rewritten metadata, even if the bucket would allow it', async () => {
  const objects = new Map([
    ['run/step-1/metadata.json', 2],
    ['run/step-1/model', 1],
  ]);
  const store = createStore({ bucket: bucketOf(objects), base: 's3://lab/', sleep: async () => undefined });
  const seenBefore = deletionStep(PATH, '1');
  expect(await store.remove(PATH, seenBefore, permitFor(seenBefore))).toMatchObject({ kind: 'failed' });
  expect(objects.size).toBe(2);
  const seenNow = deletionStep(PATH, '2');
  expect(await store.remove(PATH, seenNow, permitFor(seenNow))).toEqual({
    kind: 'gone',
    removed: { objects: 2, bytes: 2 },
  });
  expect(objects.size).toBe(0);
});

it('reports a listing that repeats its page token as unknown, and stops', async () => {
  let asked = 0;
  const bucket: Bucket = {
    ...bucketOf(new Map()),
    page: async () => {
      asked += 1;
      return known({ folders: [], objects: [], next: 'the same page' });
    },
  };
  const store = createStore({ bucket, base: 's3://lab/', sleep: async () => undefined });
  expect(await store.list('s3://lab/run')).toMatchObject({ kind: 'unknown' });
  expect(asked).toBe(2);
});

/** A store behind S3's own protocol; addresses are resolved as any HTTP client does. */
function s3With(contents: readonly string[], objects: Map<string, string>) {
  const fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    const key = decodeURIComponent(pathname).slice('/lab/'.length);
    if (searchParams.has('list-type')) {
      const rows = contents.map(
        (one) =>
          `<Contents><Key>${encodeURIComponent(one)}</Key><Size>2</Size><ETag>"e"</ETag><LastModified>2026-11-21T09:00:00.000Z</LastModified></Contents>`,
      );
      return new Response(`<ListBucketResult><IsTruncated>false</IsTruncated>${rows.join('')}</ListBucketResult>`);
    }
    if (init.method === 'DELETE') {
      objects.delete(key);
      return new Response(null, { status: 204 });
    }
    const headers = { etag: '"e"', 'last-modified': 'Sat, 21 Nov 2026 09:00:00 GMT' };
    return objects.has(key) ? new Response('{}', { headers }) : new Response(null, { status: 404 });
  };
  const place = {
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    bucket: 'lab',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    sessionToken: null,
    now: () => Date.parse('2026-11-21T10:00:00Z'),
  };
  const sleep = async (): Promise<void> => undefined;
  return createStore({ bucket: createS3Bucket({ fetch, sleep }, place), base: 's3://lab/', sleep });
}

// threat T230
it.each([
  ['contains a key with an address in another run', 'run/step-1/../../other/step-9/model'],
  ['contains a key with a dot segment', 'run/step-1/./model'],
  ['ignores the prefix and lists the bucket', 'other/step-9/model'],
])('deletes nothing if a listing %s', async (_what, key) => {
  const seen = `"e" ${Date.parse('2026-11-21T09:00:00Z') / 1_000}`;
  const objects = new Map([
    ['run/step-1/metadata.json', '{}'],
    ['other/step-9/model', 'precious'],
  ]);
  const store = s3With(['run/step-1/metadata.json', key], objects);
  const step = deletionStep(PATH, seen);
  expect(await store.remove(PATH, step, permitFor(step))).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining(`lists ${key}`),
  });
  expect([...objects.keys()]).toEqual(['run/step-1/metadata.json', 'other/step-9/model']);
  expect(await store.list('s3://lab/run')).toMatchObject({ kind: 'unknown' });
});
