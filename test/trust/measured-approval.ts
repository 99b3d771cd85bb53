/** Counts the git processes and the CPU time of the chat workflow for one `/approve-launch`, with the real bundle and real git. */

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { requireApprovalLine } from '../support/approve.ts';
import { type BundleWorld, HOSTED, openBundleWorld, proposedIn, stateIn } from './bundle-world.ts';

export type MeasuredApproval = {
  /** The git calls of each process of the action, which has its own mirror. */
  readonly calls: readonly (readonly string[])[];
  /** Of the action and the programs that it starts. */
  readonly cpuMs: number;
};

/** Proposes a ferry, approves it, and waits for its order. */
export async function measureApproval(): Promise<MeasuredApproval> {
  const path = process.env['PATH'] ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-approval-'));
  const wrappers = await writeWrappers(folder);
  const lab = await openBundleWorld({ server: false, nodeProgram: wrappers.node });
  try {
    const { pull } = (await proposedIn(lab)).proposal;
    await lab.runJobs();
    await lab.useRunners(HOSTED);
    lab.clock.advance(5_000);
    process.env['PATH'] = `${wrappers.bin}:${path}`;
    for (const name of ['calls', 'cpu']) await writeFile(join(folder, name), '');
    await approveIn(lab, pull);
    const lines = async (name: string): Promise<readonly string[]> =>
      (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line !== '');
    const times = (await lines('cpu')).map((line) => Number(line.split(' ')[0]) + Number(line.split(' ')[1]));
    return {
      calls: [...Map.groupBy(await lines('calls'), (line) => line.split(' ')[0]).values()],
      cpuMs: times.reduce((sum, one) => sum + one, 0) * 1_000,
    };
  } finally {
    process.env['PATH'] = path;
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function approveIn(lab: BundleWorld, pull: number): Promise<void> {
  await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: requireApprovalLine(lab) });
  await lab.runJobs();
  const order = (await stateIn(lab))?.order?.status;
  if (order !== 'open') throw new Error(`the approval led to no order: ${order}`);
}

/** `git` logs each call of the action with its mirror, `node` the CPU time of each process of the action. */
async function writeWrappers(folder: string): Promise<{ readonly bin: string; readonly node: string }> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const git = (await execa('which', ['git'])).stdout;
  const log = `[ "$1" = --git-dir ] && echo "$2 $3 $4 $5 $6" >> '${join(folder, 'calls')}'`;
  await writeFile(join(bin, 'git'), `#!/bin/sh\n${log}\nexec '${git}' "$@"\n`);
  const node = join(folder, 'node');
  const timed = `{ time '${process.execPath}' "$@" 2>&3; } 3>&2 2>> '${join(folder, 'cpu')}'`;
  await writeFile(node, `#!/bin/bash\nTIMEFORMAT='%3U %3S'\n${timed}\n`);
  for (const file of [join(bin, 'git'), node]) await chmod(file, 0o755);
  return { bin, node };
}
