/**
 * A real Ray head for a test file, with its own ports, folder and token, which can be stopped and restarted.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../demo/ray/free-ports.ts';
import { type HeadRecord, headCommand, PORTS } from '../../demo/ray/head-command.ts';
import { endHead } from '../../demo/ray/head-processes.ts';
import { RAY_BIN } from './ray-tools.ts';

const START_TIMEOUT_MS = 100_000;

export type RayHead = {
  /** Without a trailing slash. */
  readonly address: string;
  readonly token: string;
  readonly folder: string;
  readonly ports: readonly number[];
  /** The head's own files, for tests that check what the cluster really did. */
  readonly sessionFolder: () => string;
  /** Ends its processes and frees the ports, as for a client while a head is down. */
  readonly stop: () => Promise<void>;
  /** The same ports and token with a new session, which knows no earlier jobs. */
  readonly start: () => Promise<void>;
  /** Stops it and removes its folder. */
  readonly close: () => Promise<void>;
};

/**
 * Starts a head with two CPUs and token authentication and waits until it accepts jobs (7 s on a quiet
 * machine).
 */
export async function startRayHead(): Promise<RayHead> {
  // Short: the sockets below it may have 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'rh-'));
  const token = `test-${crypto.randomUUID().replaceAll('-', '')}`;
  const ports = await freePorts(PORTS);
  const record = { folder, token, ports };
  const address = `http://127.0.0.1:${ports[1]}`;
  const start = (): Promise<void> => untilReady(address, token, launch(record));
  const stop = (): Promise<void> => endHead(folder);
  const close = async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await start();
  } catch (error) {
    const log = await readFile(join(folder, 'start.log'), 'utf8').catch(() => '');
    await close();
    throw new Error(`the Ray head did not start: ${log}`, { cause: error });
  }
  return { address, token, folder, ports, sessionFolder: () => join(folder, 'session_latest'), stop, start, close };
}

function launch(record: HeadRecord): ChildProcess {
  const { args, env } = headCommand(record, RAY_BIN);
  const log = openSync(join(record.folder, 'start.log'), 'w', 0o600);
  try {
    return spawn(join(RAY_BIN, 'ray'), args, { env: { ...env }, stdio: ['ignore', log, log], detached: true });
  } finally {
    closeSync(log);
  }
}

/** The job list comes from the process that accepts jobs; `/api/version` answers too early. */
async function untilReady(address: string, token: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      const answer = await fetch(`${address}/api/jobs/`, { headers: { authorization: `Bearer ${token}` } });
      await answer.text();
      if (answer.ok) return;
    } catch (error) {
      // The port is not open yet.
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(100);
  }
  throw new Error('it was not ready in time');
}
