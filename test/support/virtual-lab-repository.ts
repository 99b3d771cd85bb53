/**
 * The example lab's repository for labs on virtual time, in memory or as a bare one on disk; created once and
 * copied.
 */

import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { importTree } from '../../packages/playground/git/store/import-tree.ts';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { cloneStore, createMemoryStore, type MemoryStore } from '../../packages/playground/git/store/memory-store.ts';
import { createProgramStore } from '../../packages/playground/git/store/program-store.ts';

const LAB = fileURLToPath(new URL('../../fixtures/lab', import.meta.url));

let inMemory: Promise<{ readonly store: MemoryStore }> | null = null;
let onDisk: Promise<string> | null = null;

/** A new store with the lab's first commit, and a second one before `beforeMs` that changes its config. */
export async function memoryRepository(change: (config: string) => string, beforeMs: number): Promise<GitStore> {
  inMemory ??= (async () => {
    const store = createMemoryStore();
    await importLab(store);
    return { store };
  })();
  const copy = cloneStore((await inMemory).store);
  await configure(copy, change, beforeMs);
  return copy;
}

/** A copy of such a store in its current state. */
export function copyOfStore(store: GitStore): GitStore {
  if (!isMemoryStore(store)) throw new Error('only a store in memory is copied');
  return cloneStore(store);
}

function isMemoryStore(store: GitStore): store is MemoryStore {
  return 'clone' in store;
}

/** The same as a bare repository in `directory`, which is created; the git program answers for the store. */
export async function diskRepository(
  directory: string,
  change: (config: string) => string,
  beforeMs: number,
): Promise<GitStore> {
  onDisk ??= (async () => {
    const template = await mkdtemp(join(tmpdir(), 'ferrybot-lab-'));
    process.once('exit', () => rmSync(template, { recursive: true, force: true }));
    await importLab(createProgramStore({ directory: template }));
    return template;
  })();
  await cp(await onDisk, directory, { recursive: true });
  const store = createProgramStore({ directory });
  await configure(store, change, beforeMs);
  return store;
}

async function importLab(store: GitStore): Promise<void> {
  await importTree(store, {
    directory: LAB,
    message: 'The lab as it stands',
    skip: (path) => path.includes('__pycache__'),
  });
}

async function configure(store: GitStore, change: (config: string) => string, beforeMs: number): Promise<void> {
  // The programs of the checks would be real ones.
  const example = await readFile(`${LAB}/.github/ferrybot.yml`, 'utf8');
  const config = example.replace('checksBeforePush: repository', 'checksBeforePush: []');
  await commitFiles(store, {
    ref: 'refs/heads/main',
    expected: (await store.refs('refs/heads/main')).get('refs/heads/main') ?? null,
    files: { '.github/ferrybot.yml': change(config) },
    message: 'Configure',
    author: { name: 'Ada', email: 'ada@lab.example', atMs: beforeMs - 1_000 },
  });
}
