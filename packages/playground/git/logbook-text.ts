/**
 * The events of one folder of a logbook branch. Long files are split: `events.jsonl`, `events-0002.jsonl` and so on.
 */

import type { GitStore, Sha } from './store/git-store.ts';
import { readPath } from './store/memory-remote.ts';

/** The folders of all runs in a commit, `runs/YYYY/MM/RUN`, sorted by name. */
export async function runFolders(store: GitStore, commit: Sha): Promise<readonly string[]> {
  const tree = (await store.readCommit(commit))?.tree;
  let found = tree === undefined ? [] : [{ path: '', sha: tree }];
  for (const level of [/^runs$/, /^\d{4}$/, /^\d\d$/, /./]) {
    const below = found.map(async ({ path, sha }) =>
      ((await store.readTree(sha)) ?? [])
        .filter(({ name, type }) => type === 'tree' && level.test(name))
        .map((item) => ({ path: path === '' ? item.name : `${path}/${item.name}`, sha: item.sha })),
    );
    found = (await Promise.all(below)).flat();
  }
  return found.map(({ path }) => path);
}

/** The text of all event files in order; null if there is none. */
export async function readEventsText(store: GitStore, commit: Sha, folder: string): Promise<string | null> {
  const texts: string[] = [];
  for (let part = 1; ; part += 1) {
    const name = part === 1 ? 'events' : `events-${String(part).padStart(4, '0')}`;
    const bytes = await readPath(store, commit, `${folder}/${name}.jsonl`);
    if (bytes === null) return part === 1 ? null : texts.join('');
    texts.push(Buffer.from(bytes).toString('utf8'));
  }
}
