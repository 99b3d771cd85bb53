/** A store over a bucket that knows no conditions: what is deleted is what was seen all the same, and a listing is whole or unknown. */

import { expect, it } from 'vitest';
import { deletionStep } from '../../src/domain/checkpoint/stored.ts';
import { branded, isInstant } from '../../src/domain/ids.ts';
import { known } from '../../src/domain/observed.ts';
import type { Bucket } from '../../src/stores/bucket.ts';
import { createStore } from '../../src/stores/store.ts';
import { permitFor } from '../support/capabilities.ts';

const PATH = 's3://lab/run/step-1';

/** Objects by key, with a number for each writing; `remove` takes whatever is there. */
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
      return known({ text: '{}', writtenAt: branded(1, isInstant), identity: String(version) });
    },
    remove: async (key) => {
      objects.delete(key);
      return known('removed');
    },
    tidy: async () => undefined,
  };
}

it('deletes nothing whose metadata was written anew, also where the bucket would', async () => {
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

it('calls a listing that does not go on unknown, and asks no more', async () => {
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
