/** How an attempt may be followed by one that begins at an earlier checkpoint: said where the same again would end the same. */

import { CHECKPOINT } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';

/** What a person says for it and what comes of it, each without a full stop; null where the job's command does not take the checkpoint that it is given. */
export function wayBack({ order: { manifest } }: Pick<PastAttempt, 'order'>): {
  readonly said: string;
  readonly comes: string;
} | null {
  if (manifest === null || !takesCheckpoint(manifest)) return null;
  return {
    said: '`/rollback step=… reason="…"` by who may approve',
    comes: 'the next attempt begins at an earlier checkpoint, by a manifest that is approved anew',
  };
}

/** The way on after an end that is no failure: another run, from what the last attempt left; null where its job takes no checkpoint. */
export function wayOn({ end, order, contract }: RunState): string | null {
  const manifest = order?.manifest ?? null;
  if (end === null || end.status === 'FAILED' || contract === null || manifest === null) return null;
  return takesCheckpoint(manifest)
    ? '`/resume-as id=… from=… reason="…"`, which has another run go on from one of its checkpoints'
    : null;
}

/** Whether a job is given the checkpoint to begin from, of those that can be listed. */
export function takesCheckpoint({ command, resume }: Manifest): boolean {
  return resume.roots !== undefined && command.some((part) => part.includes(CHECKPOINT));
}
