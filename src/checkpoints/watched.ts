/** The checkpoint stores of a running job. */

import type { LaneConfig } from '../config/lane-schema.ts';
import { namedStep, type SearchedRoot, type StorePath } from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import type { StoredThen } from '../watch/look.ts';
import { chooseCheckpoint } from './choose.ts';
import { rootsOf } from './cleanup.ts';
import { lineageFor } from './lineage.ts';

/** The roots that the watch can list; none if one is readable only on the job's machine. */
export function watchedRoots(
  state: RunState,
  lane: Pick<LaneConfig, 'checkpointRoots'>,
): readonly StorePath[] {
  const roots = rootsOf(state, lane);
  return roots.every((root) => /^(gs:\/\/|s3:\/\/|\/)/.test(root)) ? roots : [];
}

/** The newest usable checkpoint and the newest incomplete folder, by the rule in docs/checkpoints.md, over each root's newest entries. */
export function storedNow(state: RunState, roots: readonly SearchedRoot[]): Observed<StoredThen> {
  const choice = chooseCheckpoint({ roots, lineage: lineageFor(state) });
  if (choice.kind === 'ask') {
    const { code, why } = choice;
    if (code === 'root-unreadable' || code === 'checkpoint-unreadable') return unknown(why);
  }
  const all = roots.flatMap(({ found }) => (found.kind === 'known' ? found.value : []));
  const newest = choice.kind === 'chosen' ? choice.checkpoint : null;
  // Older entries were not read.
  if (newest === null && roots.some(({ found }) => isCut(found)))
    return unknown(`of the newest ${limits.storeLookReads} none is of this run's lineage`);
  const writtenAt = newest?.stored.metadata.kind === 'known' ? newest.stored.metadata.value?.writtenAt : null;
  const partial = all
    .filter(({ metadata }) => metadata.kind === 'known' && metadata.value === null)
    .map(({ path }) => namedStep(path) ?? -1)
    .filter((step) => step > (newest?.metadata.step ?? -1));
  return known({
    newest: newest === null || writtenAt == null ? null : { step: newest.metadata.step, writtenAt },
    partial: partial.length === 0 ? null : Math.max(...partial),
  });
}

function isCut(found: SearchedRoot['found']): boolean {
  return found.kind === 'known' && found.value.length >= limits.storeLookReads;
}
