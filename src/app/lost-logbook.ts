/** Whether a logbook that is not there was there once: missing after it existed is an incident, never *new* (architecture, D1). */

import { GitError } from '../domain/git.ts';
import { listLabelledPulls } from '../github/issues.ts';
import { readThread } from '../github/thread.ts';
import { type LabConfig, lanesOf } from '../run/lane-scope.ts';
import { publishedHeads } from '../run/published-heads.ts';
import type { Lab } from './lab.ts';
import { readingOf } from './reading.ts';

/** Newest ferry threads that are looked at for a card where there is no logbook: one is enough, the newest may have none yet. */
const LOST_LOGBOOK_THREADS_MAX = 3;

/**
 * The newest thread of a run with a card of ours: a card is only written from a record. Null where there is none.
 * Throws `GitError` where GitHub does not tell, because then it is unknown whether a logbook may be begun.
 */
export async function threadOfLostLogbook(lab: Lab, config: LabConfig): Promise<number | null> {
  for (const label of new Set(lanesOf(config).map(({ kind }) => kind.name))) {
    const pulls = await listLabelledPulls(lab.client, label, LOST_LOGBOOK_THREADS_MAX);
    if (pulls.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${pulls.why}`);
    for (const number of pulls.value) {
      const read = await readThread(lab.client, number, readingOf(lab, config));
      if (read.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${read.why}`);
      if (publishedHeads(read.value.comments).length > 0) return number;
    }
  }
  return null;
}
