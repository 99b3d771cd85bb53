/** Checkpoints in a folder of this machine, with modification times that the test sets. */

import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type CheckpointFolders = {
  /** The output root of a run. */
  readonly root: string;
  /** Writes `step-N` below `checkpoints` as a job does: `metadata.json` last, or without it. */
  readonly write: (step: number, atMs: number, isWhole?: boolean) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** A new folder below the system's temporary one. */
export async function checkpointFolders(): Promise<CheckpointFolders> {
  const root = await mkdtemp(join(tmpdir(), 'ferrybot-checkpoints-'));
  return {
    root,
    write: async (step, atMs, isWhole = true) => {
      const folder = join(root, 'checkpoints', `step-${step}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'state.bin'), `state of step ${step}`);
      if (!isWhole) return folder;
      const timestamp = new Date(atMs).toISOString().slice(0, -1);
      const file = join(folder, 'metadata.json');
      await writeFile(file, JSON.stringify({ step, timestamp, is_temporary: false }));
      await utimes(file, atMs / 1_000, atMs / 1_000);
      return folder;
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}
