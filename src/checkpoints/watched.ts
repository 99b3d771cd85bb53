/** What the stores of a run's checkpoints say while it goes on: the newest whole one that it could go back to, and what is not whole yet. */

import type { LaneConfig } from '../config/lane-schema.ts';
import { namedStep, type SearchedRoot, type StorePath } from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { StoredThen } from '../watch/look.ts';
import { chooseCheckpoint } from './choose.ts';
import { rootsOf } from './cleanup.ts';
import { lineageFor } from './lineage.ts';

/** Where the watch looks: all its roots, and none where one of them is no other machine's to look at. */
export function watchedRoots(
  state: RunState,
  lane: Pick<LaneConfig, 'checkpointRoots'>,
): readonly StorePath[] {
  const roots = rootsOf(state, lane);
  return roots.every((root) => /^(gs:\/\/|s3:\/\/|\/)/.test(root)) ? roots : [];
}

/** By the rule of a run that goes on (docs/checkpoints.md), over the newest of each root alone. */
export function storedNow(state: RunState, roots: readonly SearchedRoot[]): Observed<StoredThen> {
  const choice = chooseCheckpoint({ roots, lineage: lineageFor(state), maxStep: null, excludePaths: [] });
  if (choice.kind === 'ask') {
    const { code, why } = choice;
    if (code === 'root-unreadable' || code === 'checkpoint-unreadable') return unknown(why);
  }
  const all = roots.flatMap(({ found }) => (found.kind === 'known' ? found.value : []));
  const newest = choice.kind === 'chosen' ? choice.checkpoint : null;
  // Whose the others are that nobody has read is not known.
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
