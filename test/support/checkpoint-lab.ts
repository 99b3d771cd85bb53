/** A hero run with checkpoints in folders of this machine, and their clean-up. */

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answers, openHeroIssue, openHeroLab } from './hero-run.ts';
import { approveAndFinish, readState, until } from './play.ts';
import type { VirtualLab, VirtualLabOptions } from './virtual-lab.ts';

export const HERO = 'grug-moe-1e23-ep8';

export type CheckpointLab = {
  readonly lab: VirtualLab;
  readonly issue: number;
  readonly root: string;
  /** A moment at which its attempt ran. */
  readonly ranAtMs: number;
  /** Writes a checkpoint as the run's own attempt would. */
  readonly save: (step: number, change?: Saved) => Promise<void>;
  /** Names of the existing checkpoints. */
  readonly there: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

type Saved = {
  /** Unix ms of its last file; by default while the attempt ran. */
  readonly atMs?: number;
  readonly name?: string;
  /** Without the file that marks it as complete. */
  readonly isHalf?: boolean;
  readonly text?: string;
};

/** Writes one synchronously, because an advancing clock does not wait for files. */
export async function saveCheckpoint(
  root: string,
  step: number,
  { atMs, name = `step-${step}`, isHalf = false, text }: Saved & { readonly atMs: number },
): Promise<void> {
  const place = join(root, name);
  mkdirSync(join(place, 'model'), { recursive: true });
  const metadata = text ?? JSON.stringify({ step, timestamp: '2026-11-21T08:00:00', is_temporary: false });
  const files = [[join(place, 'model/w.0'), 'w'.repeat(100)] as const].concat(
    isHalf ? [] : [[join(place, 'metadata.json'), metadata] as const],
  );
  for (const [path, content] of files) {
    writeFileSync(path, content);
    utimesSync(path, atMs / 1_000, atMs / 1_000);
  }
}

/**
 * A run that has ended, by default with two checkpoints kept for rollback. `more`: additions to its command.
 */
export async function openCheckpointLab(
  options: VirtualLabOptions = {},
  answers: Answers = {},
  play: (lab: VirtualLab, issue: number, root: string) => Promise<void> = (lab, issue) =>
    approveAndFinish(lab, HERO, issue),
  more = '',
): Promise<CheckpointLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-hero-'));
  const lab = await openHeroLab(options);
  const outputs = join(folder, 'outputs');
  const issue = await openHeroIssue(lab, {
    answers: {
      'Output root': outputs,
      Command: `FERRY_DATE=hero LAB_OUTPUT_ROOT=${outputs} python3 experiments/ferries/daily.py${more}`,
      'Checkpoints kept for rollback': '2',
      ...answers,
    },
  });
  await until(lab, 'the gates', async () => (await readState(lab, HERO))?.gate?.digest != null, { limitMs: 3_600_000 });
  const root = join(outputs, 'checkpoints');
  await play(lab, issue, root);
  const state = await readState(lab, HERO);
  const ranAtMs = Date.parse(state?.order?.claim?.at ?? '') + 60_000;
  return {
    lab,
    issue,
    root,
    ranAtMs,
    save: (step, change) => saveCheckpoint(root, step, { atMs: ranAtMs, ...change }),
    there: async () => (await readdir(root)).toSorted(),
    close: async () => {
      await lab.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
