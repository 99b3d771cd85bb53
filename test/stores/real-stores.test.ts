/** Checkpoints in real stores: a folder, GCS through fake-gcs-server, and S3 through versitygw. */

import { mkdir, symlink } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeWith } from '../../packages/playground/test/support/outside-tools.ts';
import { chooseCheckpoint } from '../../src/checkpoints/choose.ts';
import { type CheckpointStore, deletionStep, type StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import { limits } from '../../src/domain/limits.ts';
import type { Observed } from '../../src/domain/values.ts';
import { openStoreToDelete } from '../../src/stores/open.ts';
import type { StoreHost } from '../../src/stores/store.ts';
import { permitFor } from '../support/capabilities.ts';
import { openFolder, openGcs, openS3, plainHost, type StoreBench } from '../support/store-servers.ts';

const WHOLE_PAGE = 1_000;

function metadataOf(step: number, time = '2026-11-20T10:00:00.5', isTemporary = false): string {
  return JSON.stringify({ step, timestamp: time, is_temporary: isTemporary });
}

function storeOf({ base, environment }: StoreBench, host: StoreHost = plainHost): CheckpointStore {
  const opened = openStoreToDelete({ host, environment, now: Date.now }, base);
  if (opened.kind === 'unknown') throw new Error(opened.why);
  return opened.value;
}

function valueIn<Value>(observed: Observed<Value>): Value {
  if (observed.kind === 'unknown') throw new Error(observed.why);
  return observed.value;
}

async function identityIn(bench: StoreBench, root: string): Promise<string> {
  const [only] = valueIn(await storeOf(bench).list(root));
  return (only === undefined ? null : valueIn(only.metadata)?.identity) ?? '';
}

async function save({ put }: StoreBench, folder: string, step: number, time?: string): Promise<void> {
  await put(`${folder}/model/w.0`, 'w'.repeat(100));
  await put(`${folder}/opt/deep/er/m`, 'm'.repeat(50));
  await put(`${folder}/metadata.json`, metadataOf(step, time));
}

function found(root: string, listed: Observed<readonly StoredCheckpoint[]>) {
  return chooseCheckpoint({ roots: [{ root, found: listed }], lineage: null, maxStep: null, excludePaths: [] });
}

function storeContract(open: () => Promise<StoreBench>): void {
  let bench: StoreBench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(() => bench.close());

  it('lists folders with their metadata, and a half-written folder without it', async () => {
    const root = `${bench.base}/listed/checkpoints`;
    await save(bench, `${root}/step-200`, 200);
    await save(bench, `${root}/step-1000`, 1_000);
    await bench.put(`${root}/step-2000/model/w.0`, 'half');
    await bench.put(`${root}/notes.txt`, 'a file is no checkpoint');
    await bench.put(`${bench.base}/listed/checkpoints-old/step-9000/metadata.json`, metadataOf(9_000));
    const listed = valueIn(await storeOf(bench).list(root));
    const told = listed.map(({ path, metadata }) => [path.slice(root.length), valueIn(metadata)?.text ?? null]);
    expect(Object.fromEntries(told)).toEqual({
      '/step-200': metadataOf(200),
      '/step-1000': metadataOf(1_000),
      '/step-2000': null,
    });
    for (const { metadata } of listed) {
      const file = valueIn(metadata);
      if (file !== null) expect(Math.abs(file.writtenAt - Date.now())).toBeLessThan(60_000);
    }
    expect(found(root, { kind: 'known', value: listed })).toMatchObject({
      kind: 'chosen',
      checkpoint: { stored: { path: `${root}/step-1000` } },
    });
  });

  it('lists nothing in an unused root, and treats a root that is a checkpoint as one', async () => {
    const store = storeOf(bench);
    expect(valueIn(await store.list(`${bench.base}/nobody`))).toEqual([]);
    await save(bench, `${bench.base}/alone`, 7);
    const listed = valueIn(await store.list(`${bench.base}/alone`));
    expect(listed.find(({ path }) => path === `${bench.base}/alone`)).toBeDefined();
    expect(found('', { kind: 'known', value: listed })).toMatchObject({
      checkpoint: { metadata: { step: 7 }, stored: { path: `${bench.base}/alone` } },
    });
  });

  it('reads all pages', async () => {
    const root = `${bench.base}/many`;
    const steps = Array.from({ length: WHOLE_PAGE + 10 }, (_, index) => index + 1);
    for (let from = 0; from < steps.length; from += 50)
      await Promise.all(
        steps.slice(from, from + 50).map((step) => bench.put(`${root}/step-${step}/metadata.json`, metadataOf(step))),
      );
    const listed = await storeOf(bench).list(root);
    expect(valueIn(listed)).toHaveLength(steps.length);
    // In lexicographic order, step-999 would be the last.
    expect(found(root, listed)).toMatchObject({ checkpoint: { metadata: { step: WHOLE_PAGE + 10 } } });
    expect(valueIn(await storeOf(bench).measure(root)).objects).toBe(steps.length);
  });

  it('reads the newest by name up to the given step, including a half-written one', async () => {
    const root = `${bench.base}/newest`;
    for (const step of [9, 80, 700, 6_000]) await save(bench, `${root}/step-${step}`, step);
    await bench.put(`${root}/step-5000/model/w.0`, 'half');
    await save(bench, `${root}/final`, 6_001);
    const newest = async (most: number, upTo: number) =>
      valueIn(await storeOf(bench).newest(root, { most, upTo })).map(({ path, metadata }) => [
        path.slice(root.length),
        valueIn(metadata)?.text ?? null,
      ]);
    expect(await newest(3, 5_999)).toEqual([
      ['/step-5000', null],
      ['/step-700', metadataOf(700)],
      ['/step-80', metadataOf(80)],
    ]);
    // A name without a step is read if there is room for it.
    expect((await newest(9, 99)).map(([path]) => path)).toEqual(['/step-80', '/step-9', '/final']);
  });

  it('measures all objects below a checkpoint', async () => {
    const path = `${bench.base}/measured/step-1`;
    await save(bench, path, 1);
    await bench.put(`${bench.base}/measured/step-10/metadata.json`, metadataOf(10));
    expect(valueIn(await storeOf(bench).measure(path))).toEqual({ objects: 3, bytes: 150 + metadataOf(1).length });
  });

  it('deletes exactly what was listed, and nothing with rewritten metadata', async () => {
    const root = `${bench.base}/deleted`;
    await save(bench, `${root}/step-1`, 1);
    await save(bench, `${root}/step-10`, 10);
    const store = storeOf(bench);
    const identity = async (name: string): Promise<string> => {
      const one = valueIn(await store.list(root)).find(({ path }) => path === `${root}/${name}`);
      return one === undefined ? '' : (valueIn(one.metadata)?.identity ?? '');
    };
    const remove = async (path: string, seen: string) => {
      const step = deletionStep(path, seen);
      return store.remove(path, step, permitFor(step));
    };
    const seen = await identity('step-10');
    await bench.put(`${root}/step-10/metadata.json`, metadataOf(10, '2026-11-20T11:00:00'));
    expect(await remove(`${root}/step-10`, seen)).toMatchObject({ kind: 'failed' });
    expect(await remove(`${root}/step-1`, await identity('step-1'))).toEqual({
      kind: 'gone',
      removed: { objects: 3, bytes: 150 + metadataOf(1).length },
    });
    expect(valueIn(await store.list(root)).map(({ path }) => path)).toEqual([`${root}/step-10`]);
    expect(valueIn(await store.measure(`${root}/step-10`)).objects).toBe(3);
  });

  it('deletes nothing with a capability for another path', async () => {
    const root = `${bench.base}/kept`;
    await save(bench, `${root}/step-1`, 1);
    const permit = permitFor(deletionStep(`${root}/step-2`, 'x'));
    const store = storeOf(bench);
    await expect(store.remove(`${root}/step-1`, deletionStep(`${root}/step-1`, 'x'), permit)).rejects.toThrow(
      'not what was consented to',
    );
    const other = deletionStep(`${root}/step-2`, 'x');
    await expect(store.remove(`${root}/step-1`, other, permitFor(other))).rejects.toThrow('not what was consented to');
    expect(valueIn(await store.list(root))).toHaveLength(1);
  });
}

/** A proxy that denies some requests with the real store's messages. */
function denying(isDenied: (url: string) => boolean, body: string): StoreHost {
  return {
    ...plainHost,
    fetch: async (url, init) => (isDenied(url) ? new Response(body, { status: 403 }) : fetch(url, init)),
  };
}

/** A proxy that keeps returning the first answer to a listing. */
function stale(isListing: (url: string) => boolean): StoreHost {
  const before = new Map<string, string>();
  return {
    ...plainHost,
    fetch: async (url, init) => {
      if (!isListing(url)) return fetch(url, init);
      const text = before.get(url) ?? (await (await fetch(url, init)).text());
      before.set(url, text);
      return new Response(text);
    },
  };
}

function denialContract(
  open: () => Promise<StoreBench>,
  { isListing, denied }: { readonly isListing: (url: string) => boolean; readonly denied: string },
): void {
  let bench: StoreBench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(() => bench.close());

  it('reports a denied listing as unknown, never as empty', async () => {
    const root = `${bench.base}/denied`;
    await save(bench, `${root}/step-1`, 1);
    const listed = await storeOf(bench, denying(isListing, denied)).list(root);
    expect(listed).toMatchObject({ kind: 'unknown', why: expect.stringContaining('403') });
    expect(found(root, listed)).toMatchObject({ kind: 'ask', code: 'root-unreadable' });
  });

  it('reports a checkpoint with denied metadata as unknown, and asks if it may be the newest', async () => {
    const root = `${bench.base}/shut`;
    await save(bench, `${root}/step-1`, 1);
    await save(bench, `${root}/step-20`, 20);
    const shut = denying((url) => url.includes('step-20') && !isListing(url), denied);
    const listed = await storeOf(bench, shut).list(root);
    expect(found(root, listed)).toMatchObject({ kind: 'ask', code: 'checkpoint-unreadable' });
    const older = denying((url) => /step-1(?!\d)/.test(url) && !isListing(url), denied);
    expect(found(root, await storeOf(bench, older).list(root))).toMatchObject({
      checkpoint: { metadata: { step: 20 } },
    });
  });

  it('treats a deleted folder in a stale listing as no checkpoint', async () => {
    const root = `${bench.base}/stale`;
    await save(bench, `${root}/step-1`, 1);
    await save(bench, `${root}/step-2`, 2);
    const store = storeOf(
      bench,
      stale((url) => isListing(url) && !/prefix=[^&]*step-/.test(url)),
    );
    const seen = valueIn(await store.list(root)).find(({ path }) => path.endsWith('step-2'));
    const step = deletionStep(
      `${root}/step-2`,
      valueIn(seen?.metadata ?? { kind: 'unknown', why: '' })?.identity ?? '',
    );
    expect(await store.remove(`${root}/step-2`, step, permitFor(step))).toMatchObject({ kind: 'gone' });
    const listed = await store.list(root);
    expect(valueIn(listed)).toHaveLength(2);
    expect(found(root, listed)).toMatchObject({ checkpoint: { metadata: { step: 1 } } });
  });

  it('reports a deletion as not verified while a listing shows remaining objects', async () => {
    const root = `${bench.base}/slow`;
    await save(bench, `${root}/step-1`, 1);
    const store = storeOf(bench, stale(isListing));
    const seen = valueIn(await store.list(root))[0];
    const step = deletionStep(
      `${root}/step-1`,
      valueIn(seen?.metadata ?? { kind: 'unknown', why: '' })?.identity ?? '',
    );
    expect(await store.remove(`${root}/step-1`, step, permitFor(step))).toMatchObject({
      kind: 'left',
      why: '3 objects are still there',
    });
  });
}

describe('checkpoints in a folder', () => {
  storeContract(openFolder);

  it('are unknown if the system denies reading, and a link is not followed', async () => {
    const bench = await openFolder();
    const root = `${bench.base}/root`;
    await bench.put(`${bench.base}/file`, '');
    expect(await storeOf(bench).list(`${bench.base}/file`)).toMatchObject({ kind: 'unknown', why: 'ENOTDIR' });
    await save(bench, `${bench.base}/elsewhere/step-9`, 9);
    await save(bench, `${root}/step-1`, 1);
    await symlink(`${bench.base}/elsewhere/step-9`, `${root}/step-9`);
    await mkdir(`${root}/step-8/metadata.json`, { recursive: true });
    const listed = await storeOf(bench).list(root);
    expect(
      valueIn(listed)
        .map(({ path }) => path.slice(root.length))
        .toSorted(),
    ).toEqual(['/step-1', '/step-8']);
    expect(found(root, listed)).toMatchObject({ kind: 'ask', code: 'checkpoint-unreadable' });
    await bench.close();
  });

  // threat T238
  it('are unknown one by one if a job set an invalid file time, and all others are read', async () => {
    const bench = await openFolder();
    const root = `${bench.base}/root`;
    for (const step of [1, 2]) await save(bench, `${root}/step-${step}`, step);
    await execa('touch', ['-d', '1969-12-30T00:00:00Z', `${root}/step-2/metadata.json`]);
    const listed = valueIn(await storeOf(bench).list(root)).toSorted((a, b) => a.path.localeCompare(b.path));
    expect(listed.map(({ metadata }) => metadata.kind)).toEqual(['known', 'unknown']);
    await bench.close();
  });

  it('are unknown if a job replaced its root by a link', async () => {
    const bench = await openFolder();
    await save(bench, `${bench.base}/elsewhere/step-9`, 9);
    await symlink(`${bench.base}/elsewhere`, `${bench.base}/root`);
    expect(await storeOf(bench).list(`${bench.base}/root`)).toEqual({
      kind: 'unknown',
      why: 'it is a link, or lies behind one',
    });
    await bench.close();
  });

  // threat T228
  it("are unknown and never deleted if a job replaced a parent folder by a link to another run's folder", async () => {
    const bench = await openFolder();
    await save(bench, `${bench.base}/other/checkpoints/step-9`, 9);
    await symlink(`${bench.base}/other`, `${bench.base}/mine`);
    const path = `${bench.base}/mine/checkpoints/step-9`;
    const store = storeOf(bench);
    expect((await store.list(`${bench.base}/mine/checkpoints`)).kind).toBe('unknown');
    const step = deletionStep(path, await identityIn(bench, `${bench.base}/other/checkpoints`));
    expect(await store.remove(path, step, permitFor(step))).toMatchObject({ kind: 'failed' });
    expect(valueIn(await store.measure(`${bench.base}/other/checkpoints/step-9`)).objects).toBe(3);
    await bench.close();
  });

  // threat T229
  it('are unknown if a job created more empty folders than the limit', async () => {
    const bench = await openFolder();
    const path = `${bench.base}/root/step-1`;
    for (let index = 0; index < 12; index += 1) await mkdir(`${path}/${index}/deeper`, { recursive: true });
    const bounds: { checkpointObjectsMax: number } = limits as never;
    vi.spyOn(bounds, 'checkpointObjectsMax', 'get').mockReturnValue(20);
    expect((await storeOf(bench).measure(path)).kind).toBe('unknown');
    vi.restoreAllMocks();
    expect(valueIn(await storeOf(bench).measure(path)).objects).toBe(0);
    await bench.close();
  });

  // threat T227
  it('are unknown if a job replaced a file by a link, a pipe or an endless device, and no read blocks', async () => {
    const bench = await openFolder();
    const root = `${bench.base}/root`;
    await save(bench, `${bench.base}/elsewhere/step-7`, 7);
    for (const step of [2, 3, 4]) await mkdir(`${root}/step-${step}`, { recursive: true });
    await symlink('/dev/zero', `${root}/step-2/metadata.json`);
    await symlink(`${bench.base}/elsewhere/step-7/metadata.json`, `${root}/step-3/metadata.json`);
    await execa('mkfifo', [`${root}/step-4/metadata.json`]);
    const listed = valueIn(await storeOf(bench).list(root));
    const inOrder = listed.toSorted((a, b) => a.path.localeCompare(b.path));
    expect(inOrder.map(({ metadata }) => metadata)).toEqual([
      { kind: 'unknown', why: 'ELOOP' },
      { kind: 'unknown', why: 'ELOOP' },
      { kind: 'unknown', why: 'ENOTSUP' },
    ]);
    await bench.close();
  });
});

describeWith('fake-gcs-server', 'checkpoints in GCS', () => {
  storeContract(openGcs);
  denialContract(openGcs, {
    isListing: (url) => /\/o\?/.test(url),
    denied: '{"error":{"code":403,"message":"lab@x.iam does not have storage.objects.list access"}}',
  });
});

describeWith('versitygw', 'checkpoints in S3', () => {
  storeContract(openS3);
  denialContract(openS3, {
    isListing: (url) => url.includes('list-type=2'),
    denied: '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
  });

  it('are unknown with a key that the store rejects', async () => {
    const bench = await openS3();
    await save(bench, `${bench.base}/r/step-1`, 1);
    const environment = { ...bench.environment, AWS_SECRET_ACCESS_KEY: 'another' };
    expect(await storeOf({ ...bench, environment }).list(`${bench.base}/r`)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('SignatureDoesNotMatch'),
    });
    await bench.close();
  });
});
