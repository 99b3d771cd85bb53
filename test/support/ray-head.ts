/** A real Ray head for a test file: its own ports, folder and token; started, restarted and stopped without touching another. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { RAY_BIN } from './ray-tools.ts';

const START_TIMEOUT_MS = 100_000;
/** `ray start --block` takes half a minute to say goodbye to a running job; nobody here has anything to save. */
const STOP_GRACE_MS = 2_000;
const STOP_TIMEOUT_MS = 30_000;

export type RayHead = {
  /** Without a slash at its end. */
  readonly address: string;
  readonly token: string;
  readonly folder: string;
  /** The process's own files, for a test that has to know what the cluster really did. */
  readonly sessionFolder: () => string;
  /** Its processes gone, the ports free: what a client meets while a head is down. */
  readonly stop: () => Promise<void>;
  /** The same ports and token, a new session: what was known is forgotten. */
  readonly start: () => Promise<void>;
  /** Stops it and removes its folder. */
  readonly close: () => Promise<void>;
};

/** Starts a head with two CPUs and token authentication and waits until it takes jobs (7 s on a quiet machine). */
export async function startRayHead(): Promise<RayHead> {
  // Short: the sockets below it may have 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'rh-'));
  const token = `test-${crypto.randomUUID().replaceAll('-', '')}`;
  const ports = await freePorts(7);
  const address = `http://127.0.0.1:${ports[1]}`;
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = launch(folder, token, ports);
    await untilReady(address, token, child);
  };
  const stop = async (): Promise<void> => {
    if (child !== null) await end(child, folder, token);
    child = null;
  };
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
  return { address, token, folder, sessionFolder: () => join(folder, 'session_latest'), stop, start, close };
}

function launch(folder: string, token: string, ports: readonly number[]): ChildProcess {
  const [gcs, dashboard, client, agent, agentGrpc, runtimeEnv, metrics] = ports;
  const options = {
    port: gcs,
    'dashboard-port': dashboard,
    'ray-client-server-port': client,
    'dashboard-agent-listen-port': agent,
    'dashboard-agent-grpc-port': agentGrpc,
    'runtime-env-agent-port': runtimeEnv,
    'metrics-export-port': metrics,
    // Random ones: two heads with the usual range take each other's.
    'min-worker-port': 0,
    'max-worker-port': 0,
    'node-ip-address': '127.0.0.1',
    'dashboard-host': '127.0.0.1',
    'num-cpus': 2,
    'object-store-memory': 80_000_000,
    'temp-dir': folder,
  };
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  // In the foreground, so that its end ends its processes.
  const source = `exec "$0" start --head --block --disable-usage-stats "$@" >${JSON.stringify(join(folder, 'start.log'))} 2>&1`;
  return spawn('/bin/sh', ['-c', source, join(RAY_BIN, 'ray'), ...flags], {
    env: {
      PATH: `${RAY_BIN}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      LANG: 'C.UTF-8',
      RAY_AUTH_MODE: 'token',
      RAY_AUTH_TOKEN: token,
    },
    stdio: 'ignore',
    detached: true,
  });
}

/** The list of jobs comes from the same process that takes them; `/api/version` alone answers too early. */
async function untilReady(address: string, token: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      const answer = await fetch(`${address}/api/jobs/`, { headers: { authorization: `Bearer ${token}` } });
      await answer.text();
      if (answer.ok) return;
    } catch (error) {
      // Nobody listens yet.
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(100);
  }
  throw new Error('it was not ready in time');
}

async function end(child: ChildProcess, folder: string, token: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(STOP_GRACE_MS)]);
  }
  // gcs_server and raylet must be gone before the ports are free, and no job may outlive its head.
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (;;) {
    const left = await processesOf(folder, token);
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`still there: ${left.join(' ')}`);
    for (const pid of left) kill(pid);
    await sleep(100);
  }
}

/** Ray's own processes name its folder; what a job started has the head's token in its environment (Linux shows it). */
async function processesOf(folder: string, token: string): Promise<readonly number[]> {
  const { stdout } = await execa('ps', ['-A', '-ww', '-o', 'pid=,stat=,args=']);
  const found: number[] = [];
  for (const line of stdout.split('\n')) {
    const [pid = '', stat = ''] = line.trim().split(/\s+/);
    if (stat.startsWith('Z') || Number(pid) === process.pid) continue;
    const isOurs = line.includes(folder) || (await environmentOf(pid)).includes(token);
    if (isOurs) found.push(Number(pid));
  }
  return found;
}

/** Empty for a process that has ended meanwhile, that is another user's, or where there is no /proc. */
async function environmentOf(pid: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** All held at once, so that no two are the same. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const place = server.address();
    if (place === null || typeof place === 'string') throw new Error('a server without a port');
    return place.port;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
