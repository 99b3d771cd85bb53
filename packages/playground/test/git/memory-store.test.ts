/** Properties of the memory store only: independent copies, and speed. */

import { expect, it } from 'vitest';
import { commitFiles } from '../../git/store/memory-remote.ts';
import { cloneStore, createMemoryStore } from '../../git/store/memory-store.ts';
import { ada, writeCommit } from './store-pair.ts';

it('makes copies that are independent of each other', async () => {
  const ref = 'refs/heads/main';
  const store = createMemoryStore();
  const base = await writeCommit(store, { a: '1' });
  await store.updateRef({ ref, sha: base });
  const copy = cloneStore(store);
  const here = await writeCommit(store, { a: '2' }, [base]);
  const there = await writeCommit(copy, { a: '3' }, [base]);
  expect(await store.updateRef({ ref, sha: here, expected: base })).toBe('updated');
  expect(await copy.updateRef({ ref, sha: there, expected: base })).toBe('updated');
  expect(await copy.readCommit(here)).toBeNull();
  expect(await store.readCommit(there)).toBeNull();
  expect(await copy.isAncestor(base, there)).toBe(true);
});

it('is not affected by later changes of written or read bytes', async () => {
  const store = createMemoryStore();
  const bytes = Uint8Array.from([1, 2, 3]);
  const sha = await store.writeBlob(bytes);
  bytes[0] = 9;
  (await store.readBlob(sha))?.fill(0);
  expect(await store.readBlob(sha)).toEqual(Uint8Array.from([1, 2, 3]));
});

it('writes a thousand logbooks of fifty entries within fifteen seconds of processor time', async () => {
  const store = createMemoryStore();
  const before = process.cpuUsage();
  for (let run = 0; run < 1000; run += 1) {
    const ref = `refs/ferrybot/run-${run}`;
    let expected: string | null = null;
    for (let entry = 0; entry < 50; entry += 1) {
      const files = { [`runs/${run}/events.jsonl`]: `entry ${entry}\n` };
      const author = ada((run * 50 + entry) * 1000);
      const { outcome, sha } = await commitFiles(store, { ref, expected, files, message: 'x', author });
      expect(outcome).toBe('updated');
      expected = sha;
    }
  }
  expect((await store.refs('refs/ferrybot/')).size).toBe(1000);
  const { user, system } = process.cpuUsage(before);
  expect(user + system, 'microseconds of processor').toBeLessThan(15_000_000);
});
