/** The events of one folder of a logbook's branch, whose long files are cut: `events.jsonl`, `events-0002.jsonl` and so on. */

import type { GitStore, Sha } from './store/git-store.ts';
import { readPath } from './store/memory-remote.ts';

/** The text of all of them in their order; null where there is none. */
export async function readEventsText(store: GitStore, commit: Sha, folder: string): Promise<string | null> {
  const texts: string[] = [];
  for (let part = 1; ; part += 1) {
    const name = part === 1 ? 'events' : `events-${String(part).padStart(4, '0')}`;
    const bytes = await readPath(store, commit, `${folder}/${name}.jsonl`);
    if (bytes === null) return part === 1 ? null : texts.join('');
    texts.push(Buffer.from(bytes).toString('utf8'));
  }
}
