// The clean-up scene: a hero run has ended, and a list of deletable checkpoints waits for a consent. The
// checkpoints are files of this machine; a missing one was deleted, by any process.

import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HERO, openCheckpointLab, saveCheckpoint } from '../support/checkpoint-lab.ts';
import { HERO_LANE, openHeroLab } from '../support/hero-run.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';
import type { CareLab, CommandListener } from './care-labs.ts';
import { limitApprovalAge } from './terms.ts';

type EndedScene = {
  readonly moment: ReturnType<VirtualLab['keep']>;
  readonly thread: number;
  readonly root: string;
  readonly ranAtMs: number;
};

let playToEndOnce: Promise<EndedScene> | null = null;

async function playToEnd(): Promise<EndedScene> {
  const { lab, issue, root, ranAtMs, close } = await openCheckpointLab({
    config: (text) => `${limitApprovalAge(text).trimEnd()}\n${HERO_LANE}`,
  });
  await lab.clock.advance(60_000);
  const moment = lab.keep();
  await close();
  return { moment, thread: issue, root, ranAtMs };
}

/** Two of five are deletable: the run keeps the two newest, and its last. */
const STEPS = [400, 500, 900, 1_000, 1_200];

/** Opens the scene with a list that ada requested. */
export async function openCheckpointScene(
  seed: number,
  told: CommandListener,
  beforeJob: NonNullable<VirtualLabOptions['beforeJob']>,
): Promise<CareLab> {
  playToEndOnce ??= playToEnd();
  const { moment, thread, root, ranAtMs } = await playToEndOnce;
  const there = new Map<string, string>();
  const save = async (step: number, atMs: number): Promise<void> => {
    await saveCheckpoint(root, step, { atMs });
    there.set(join(root, `step-${step}`), checkpointContent(join(root, `step-${step}`)));
  };
  const lab = await openHeroLab({
    from: { ...moment, seed },
    beforeJob,
    atBoundary: (_, kind, when) => {
      if (kind === 'delete-checkpoint' && when === 'after') reportDeleted(there, told);
    },
  });
  for (const step of STEPS) await save(step, ranAtMs);
  await lab.as('ada', 'POST', `/issues/${thread}/comments`, { body: '/cleanup-checkpoints' });
  await lab.clock.advance(120_000);
  return {
    lab,
    thread,
    record: HERO,
    rewrite: () => save(500, ranAtMs + 1_000),
    look: () => reportDeleted(there, told),
    leave: async () => {
      await lab.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function reportDeleted(there: Map<string, string>, told: CommandListener): void {
  for (const [path, content] of there) {
    if (existsSync(join(path, 'metadata.json'))) continue;
    there.delete(path);
    told(['delete-checkpoint', path, content]);
  }
}

/** The file system's identity of this file. */
function checkpointContent(path: string): string {
  const { ino, mtimeNs, size } = statSync(join(path, 'metadata.json'), { bigint: true });
  return `${ino}-${mtimeNs}-${size}`;
}
