/**
 * Reads the logbook like any outside reader: lines of JSON in a branch. The playground knows nothing else about
 * ferrybot.
 */

import * as z from 'zod';
import { readEventsText, runFolders } from '../packages/playground/git/logbook-text.ts';
import type { World } from '../packages/playground/world/world.ts';

const entry = z.looseObject({
  run: z.string(),
  seq: z.number(),
  at: z.string(),
  type: z.string(),
  data: z.looseObject({}),
});
export type LogbookEntry = z.infer<typeof entry>;

const BRANCH = 'refs/heads/ferrybot/logbook';

/** Events of every run of the newest logbook commit, by run. An absent branch has no runs. */
export async function readLogbook(world: World): Promise<ReadonlyMap<string, readonly LogbookEntry[]>> {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) return new Map();
  const store = world.gitOf(repo);
  const head = (await store.refs(BRANCH)).get(BRANCH);
  const runs = new Map<string, readonly LogbookEntry[]>();
  for (const folder of head === undefined ? [] : await runFolders(store, head)) {
    const text = head === undefined ? null : await readEventsText(store, head, folder);
    runs.set(folder.slice(folder.lastIndexOf('/') + 1), parse(text ?? ''));
  }
  return runs;
}

/** Events of the repository's journal, which are not part of any run. */
export async function readJournal(world: World): Promise<readonly LogbookEntry[]> {
  const repo = Object.values(world.state.repos)[0];
  const store = repo === undefined ? null : world.gitOf(repo);
  const head = (await store?.refs(BRANCH))?.get(BRANCH);
  return store === null || head === undefined ? [] : parse((await readEventsText(store, head, 'journal')) ?? '');
}

function parse(text: string): readonly LogbookEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => entry.parse(JSON.parse(line)));
}
