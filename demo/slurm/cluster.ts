/**
 * The daemons of a private Slurm cluster: started, found again, and ended without effect on other programs of the
 * machine.
 */

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { slurm } from '../../packages/playground/limits/limits.ts';
import type { ClusterRecord } from '../private-cluster.ts';
import { configurationPath, socketPath, writeCluster } from './cluster-files.ts';
import { endProcesses, MARK } from './cluster-processes.ts';

const run = promisify(execFile);

/** Debian installs daemons outside an ordinary account's PATH. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel'] as const;

/** The required programs that this machine lacks (`npm run setup:slurm` installs them). */
export function missingPrograms(): readonly string[] {
  return PROGRAMS.filter((name) => findProgram(name) === null);
}

export type Daemon = 'munged' | 'slurmctld' | 'slurmd';

/** Starts what does not run yet and waits until the node accepts jobs (4 s on an idle machine). */
export async function startCluster(record: ClusterRecord): Promise<void> {
  await writeCluster(record);
  await startDaemon(record, 'munged');
  await startDaemon(record, 'slurmctld');
  await startDaemon(record, 'slurmd');
  const deadline = performance.now() + slurm.startTimeoutMs;
  while (performance.now() < deadline) {
    if (await isReady(record)) return;
    await sleep(slurm.pollMs);
  }
  throw new Error(`the Slurm cluster did not start; see the logs in ${record.folder}`);
}

/** Starts one of the daemons. */
export async function startDaemon(record: ClusterRecord, daemon: Daemon): Promise<number> {
  const program = findProgram(daemon);
  if (program === null) throw new Error(`there is no ${daemon}: npm run setup:slurm`);
  const log = await open(join(record.folder, `${daemon}.out`), 'a', 0o600);
  try {
    const child = spawn(program, daemonArguments(record, daemon), {
      cwd: record.folder,
      env: { ...daemonEnvironment(record), [MARK]: record.folder },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    child.unref();
    if (child.pid === undefined) throw new Error(`${program} could not be started`);
    if (daemon === 'munged') await waitForFile(socketPath(record));
    return child.pid;
  } finally {
    await log.close();
  }
}

/** Whether the controller answers and the node is ready for a job. */
export async function isReady(record: ClusterRecord): Promise<boolean> {
  const output = await askCluster(record, 'sinfo', ['--noheader', '--format=%T']);
  return output !== null && /^(idle|mixed|allocated)/m.test(output);
}

/** Whether a job is waiting or running. */
export async function hasLivingJob(record: ClusterRecord): Promise<boolean> {
  return ((await askCluster(record, 'squeue', ['--noheader'])) ?? '').trim() !== '';
}

/** Ends its jobs, its daemons and their child processes, and removes its folder. */
export async function closeCluster(record: ClusterRecord): Promise<void> {
  await endProcesses(record.folder);
  await rm(record.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** The output of a Slurm command; null if it fails. */
export async function askCluster(
  record: ClusterRecord,
  command: string,
  args: readonly string[],
): Promise<string | null> {
  const program = findProgram(command);
  if (program === null) return null;
  try {
    const { stdout } = await run(program, [...args], { env: daemonEnvironment(record), timeout: slurm.answerMs });
    return stdout;
  } catch (error) {
    // The program reports every error by its exit code.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function daemonEnvironment(record: ClusterRecord): NodeJS.ProcessEnv {
  return { PATH: FOLDERS.join(delimiter), LANG: 'C.UTF-8', SLURM_CONF: configurationPath(record) };
}

function daemonArguments(record: ClusterRecord, daemon: Daemon): readonly string[] {
  const at = (name: string): string => join(record.folder, name);
  switch (daemon) {
    case 'munged':
      return [
        '--foreground',
        '--force',
        `--key-file=${at('munge.key')}`,
        `--socket=${socketPath(record)}`,
        `--pid-file=${at('munged.pid')}`,
        `--log-file=${at('munged.log')}`,
        `--seed-file=${at('munged.seed')}`,
      ];
    case 'slurmctld':
      return ['-D'];
    case 'slurmd':
      return ['-D', '-N', 'localhost'];
  }
}

function findProgram(name: string): string | null {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

async function waitForFile(path: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < slurm.startTimeoutMs; waitedMs += slurm.pollMs) {
    if (existsSync(path)) return;
    await sleep(slurm.pollMs);
  }
  throw new Error(`munged did not start: there is no ${path}`);
}
