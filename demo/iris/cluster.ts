/**
 * A private Iris on this machine: Marin's own controller and worker, started, found again, and ended with their jobs.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { iris } from '../../packages/playground/limits/limits.ts';
import { IRIS_TOOLS } from '../beside.ts';
import type { ClusterRecord } from '../private-cluster.ts';
import { endAll, markedProcesses } from '../processes.ts';

/** The number of ports of one cluster: for the controller and its worker. */
export const PORTS = 2;
/** The owner of the jobs; without authentication only the name decides. */
export const IRIS_USER = 'ferrybot';

/** A variable in the environment of both daemons, which their jobs inherit. */
const MARK = 'FERRYBOT_REHEARSAL_IRIS';
const WORKER = join(import.meta.dirname, 'worker.py');

/** Whether `npm run setup:iris` completed on this machine. */
export function isIrisInstalled(): boolean {
  return existsSync(join(IRIS_TOOLS, 'ferrybot-setup.json'));
}

/** The controller's address, for a config. */
export function controllerAddress({ ports }: ClusterRecord): string {
  return `http://127.0.0.1:${ports[0]}`;
}

/** Starts both and waits until the worker accepts jobs (10 s on an idle machine, a minute on a busy one). */
export async function startCluster(record: ClusterRecord): Promise<void> {
  await startController(record);
  await startWorker(record);
  await waitUntil(record, isReady, 'the worker of Iris');
}

/** Returns the process id when the controller answers. It continues with the state in its folder. */
export async function startController(record: ClusterRecord): Promise<number> {
  const { folder, ports } = record;
  const config = join(folder, 'cluster.yaml');
  await mkdir(join(folder, 'remote'), { recursive: true, mode: 0o700 });
  const settings = {
    platform: { label_prefix: 'rehearsal', local: {} },
    storage: { remote_state_dir: `file://${join(folder, 'remote')}` },
    worker_provider: {},
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 });
  const place = ['--host', '127.0.0.1', '--port', String(ports[0])];
  const state = ['--config', config, '--state-dir', join(folder, 'state')];
  const pid = await startProgram(record, 'controller', [
    ...['-m', 'iris.cluster.controller.main', 'serve'],
    ...place,
    ...state,
  ]);
  await waitUntil(
    record,
    async () => (await callController(record, 'ListWorkers', {})) !== null,
    'the controller of Iris',
  );
  return pid;
}

/** Returns the process id immediately. `name`: a lost worker comes back under another name, or under its own. */
export function startWorker(record: ClusterRecord, name = 'worker-1'): Promise<number> {
  const { folder, ports } = record;
  const cores = String(iris.workerCores * 1_000);
  const place = [controllerAddress(record), join(folder, name), String(ports[1])];
  return startProgram(record, name, [WORKER, ...place, name, cores]);
}

/** Whether the controller answers and has a healthy worker. */
export async function isReady(record: ClusterRecord): Promise<boolean> {
  const answer = await callController(record, 'ListWorkers', {});
  return answer !== null && /"healthy": ?true/.test(answer);
}

/** Whether a job is waiting or running. */
export async function hasLivingJob(record: ClusterRecord): Promise<boolean> {
  for (const stateFilter of ['running', 'pending']) {
    const answer = await callController(record, 'ListJobs', { query: { stateFilter, limit: 1 } });
    if (answer?.includes('"jobId"')) return true;
  }
  return false;
}

/** The controller's answer to a request; null if it fails. */
export async function callController(record: ClusterRecord, method: string, body: object): Promise<string | null> {
  try {
    const answer = await fetch(`${controllerAddress(record)}/iris.cluster.ControllerService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(iris.answerMs),
    });
    const text = await answer.text();
    return answer.ok ? text : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

/** Both daemons and every job that they started. */
export function listProcesses(folder: string): Promise<readonly number[]> {
  return markedProcesses(MARK, folder);
}

/** Ends all of these processes. */
export function endProcesses(folder: string): Promise<void> {
  return endAll(`the Iris in ${folder}`, () => listProcesses(folder), iris);
}

/** The same, and removes the cluster's folder. */
export async function closeCluster({ folder }: ClusterRecord): Promise<void> {
  await endProcesses(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

async function startProgram({ folder }: ClusterRecord, name: string, args: readonly string[]): Promise<number> {
  const log = await open(join(folder, `${name}.log`), 'a', 0o600);
  try {
    const child = spawn(join(IRIS_TOOLS, 'bin', 'python'), args, {
      cwd: folder,
      // A separate HOME, so that the user's own tokens are not used.
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', [MARK]: folder },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    child.unref();
    if (child.pid === undefined) throw new Error('there is no Iris: npm run setup:iris');
    return child.pid;
  } finally {
    await log.close();
  }
}

async function waitUntil(
  record: ClusterRecord,
  holds: (record: ClusterRecord) => Promise<boolean>,
  what: string,
): Promise<void> {
  const deadline = performance.now() + iris.startTimeoutMs;
  while (performance.now() < deadline) {
    if (await holds(record)) return;
    await sleep(iris.pollMs);
  }
  throw new Error(`${what} did not start; see the logs in ${record.folder}`);
}
