/** Slurm's commands with one of them replaced, to lose a response of a real one or to duplicate a call. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { SlurmCluster } from '../../src/engines/slurm/definition.ts';
import type { TestCluster } from './slurm-cluster.ts';

const COMMANDS = ['sbatch', 'squeue', 'scancel', 'sinfo', 'sacct', 'scontrol'];

/** `script` replaces `command`; REAL in it is the real one. */
export async function createStandIn(
  { record }: TestCluster,
  command: string,
  script: string,
): Promise<Pick<SlurmCluster, 'bin'>> {
  const bin = join(record.folder, `bin-${crypto.randomUUID().slice(0, 8)}`);
  await mkdir(bin);
  for (const each of COMMANDS) {
    const real = findProgram(each);
    const text = each === command ? script.replaceAll('REAL', real) : `exec ${real} "$@"`;
    await writeFile(join(bin, each), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  }
  return { bin };
}

/** sbatch reaches the controller, but its output is lost. */
export function createLossyPrograms(cluster: TestCluster): Promise<Pick<SlurmCluster, 'bin'>> {
  const complaint = 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation';
  return createStandIn(cluster, 'sbatch', `REAL "$@" > /dev/null; echo "${complaint}" >&2; exit 1`);
}

function findProgram(name: string): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}
