/** The saved state of the server: it survives a restart, and its loss costs nothing but requests. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSavedState, type SavedState } from '../../../src/app/server/saved-state.ts';

let folder: string;
let file: string;
const log: string[] = [];
const opened: SavedState[] = [];
const open = async (): Promise<SavedState> => {
  const state = await openSavedState(file, 50, (line) => void log.push(line));
  opened.push(state);
  return state;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-saved-'));
  file = join(folder, 'state.sqlite');
});
afterEach(async () => {
  for (const state of opened.splice(0)) state.close();
  log.length = 0;
  await rm(folder, { recursive: true });
});

describe('the saved state', () => {
  it('is there after a restart, and by kind and key', async () => {
    const first = await open();
    first.set('answer', 'lab/a GET /x', { etag: '"1"', data: [1, null, 'é'] });
    first.set('answer', 'lab/a GET /x', { etag: '"2"', data: [2] });
    first.set('cursor', 'lab/a', 7);
    first.close();
    const second = await open();
    expect(second.get('answer', 'lab/a GET /x')).toEqual({ etag: '"2"', data: [2] });
    expect(second.get('cursor', 'lab/a')).toBe(7);
    expect(second.get('delivery', 'lab/a')).toBeUndefined();
    expect(log).toEqual([]);
  });

  it('can be read only by the user of the server', async () => {
    const state = await open();
    state.set('answer', 'lab/a GET /x', 'of a private repository');
    const modes = await Promise.all(['', '-wal'].map(async (suffix) => (await stat(`${file}${suffix}`)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
  });

  it('starts empty after the file was deleted', async () => {
    const first = await open();
    first.set('cursor', 'lab/a', 7);
    first.close();
    await rm(file);
    const second = await open();
    expect(second.get('cursor', 'lab/a')).toBeUndefined();
    second.set('cursor', 'lab/a', 8);
    expect(second.get('cursor', 'lab/a')).toBe(8);
  });

  it('continues when the file is deleted under a running server', async () => {
    const state = await open();
    state.set('cursor', 'lab/a', 7);
    for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
    for (let n = 0; n < 300; n += 1) state.set('cursor', `lab/${n}`, n);
    expect(state.get('cursor', 'lab/299')).toBe(299);
  });

  it.each([
    ['is no database', () => writeFile(file, 'garbage '.repeat(1_000))],
    ['is cut off', async () => writeFile(file, (await readFile(file)).subarray(0, 5_000))],
    [
      'has another table of that name',
      async () => {
        const { DatabaseSync } = await import('node:sqlite');
        await rm(file);
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE saved (kind TEXT, other TEXT)');
        other.close();
      },
    ],
  ])('replaces a file that %s by an empty one, and logs that', async (_, damage) => {
    const first = await open();
    for (let n = 0; n < 300; n += 1) first.set('answer', `lab/${n}`, { etag: 'x'.repeat(100) });
    first.close();
    await damage();
    const second = await open();
    second.set('cursor', 'lab/a', 8);
    for (let n = 0; n < 300; n += 1) second.get('answer', `lab/${n}`);
    second.set('cursor', 'lab/a', 8);
    expect(second.get('cursor', 'lab/a')).toBe(8);
    second.close();
    expect(log.join('\n')).toContain('cannot be used and is created again');
    expect((await open()).get('cursor', 'lab/a')).toBe(8);
  });

  it('replaces a file that is overwritten between two reads', async () => {
    const first = await open();
    for (let n = 0; n < 3_000; n += 1) first.set('answer', `lab/${n}`, { etag: 'x'.repeat(2_000) });
    first.close();
    const second = await open();
    const written = openSync(file, 'r+');
    for (let at = 4_096; at < 6_000_000; at += 4_096) writeSync(written, Buffer.alloc(2_048, 7), 0, 2_048, at);
    closeSync(written);
    for (let n = 0; n < 3_000; n += 1) second.get('answer', `lab/${n}`);
    second.set('cursor', 'lab/a', 8);
    expect(second.get('cursor', 'lab/a')).toBe(8);
    expect(log.join('\n')).toContain('cannot be used and is created again');
  });

  it('replaces a file with a value that is no JSON', async () => {
    const first = await open();
    first.set('cursor', 'lab/a', 'a word');
    first.close();
    const { DatabaseSync } = await import('node:sqlite');
    const other = new DatabaseSync(file);
    other.exec(`UPDATE saved SET value = '"a wo'`);
    other.close();
    expect((await open()).get('cursor', 'lab/a')).toBeUndefined();
    expect(log).toHaveLength(1);
  });

  it('keeps the newest values of each kind', async () => {
    const state = await open();
    state.set('delivery', 'one', 1);
    for (let n = 0; n < 5_300; n += 1) state.set('cursor', `lab/${n}`, n);
    expect(state.get('cursor', 'lab/0')).toBeUndefined();
    expect(state.get('cursor', 'lab/5299')).toBe(5_299);
    expect(state.get('delivery', 'one')).toBe(1);
  });

  it('works in memory if the file cannot be created', async () => {
    file = join(folder, 'missing', 'state.sqlite');
    const state = await open();
    state.set('cursor', 'lab/a', 7);
    expect(state.get('cursor', 'lab/a')).toBe(7);
    expect(log.join('\n')).toContain('cannot be created');
  });

  it('refuses a file that another server uses', async () => {
    const first = await open();
    first.set('cursor', 'lab/a', 7);
    await expect(open()).rejects.toThrow('each server needs its own directory');
    expect(first.get('cursor', 'lab/a')).toBe(7);
  });

  it('does not fail when unfinished work uses it after the stop', async () => {
    const state = await open();
    state.close();
    state.set('cursor', 'lab/a', 7);
    expect(state.get('cursor', 'lab/a')).toBe(7);
  });
});
