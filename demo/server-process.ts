/**
 * The App's server as a child process: started with its settings, logged, stopped with this program, and found again
 * after a crash.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { signalProcess } from '../packages/playground/actions/runner/step-process.ts';
import { ifThere } from '../packages/playground/world/if-there.ts';
import { hideEnvironment } from '../src/host/private-environment.ts';
import type { LabKeys } from './keys.ts';
import type { LabFolder } from './lab-folder.ts';

export type ServerProcess = { readonly url: string; readonly pid: number | null; readonly stop: () => Promise<void> };

export type ServerInput = {
  readonly folder: LabFolder;
  readonly keys: LabKeys;
  readonly appId: number;
  readonly origin: string;
  /** The file that `npx ferrybot` runs. */
  readonly program: string;
  readonly sweepMs: number;
  readonly onExit: (code: number | null) => void;
};

const START_TIMEOUT_MS = 60_000;

/** Starts the server and waits until it reports its address. */
export async function startServer(input: ServerInput): Promise<ServerProcess> {
  await stopEarlierServer(input.folder);
  const { folder, keys } = input;
  const child = spawn(process.execPath, [input.program, 'serve'], {
    cwd: folder.root,
    env: hideEnvironment({
      PATH: process.env['PATH'] ?? '',
      APP_ID: String(input.appId),
      PRIVATE_KEY: keys.app.privatePem,
      WEBHOOK_SECRET: keys.webhookSecret,
      GITHUB_API_URL: `${input.origin}/api/v3`,
      GITHUB_SERVER_URL: input.origin,
      FERRYBOT_CONTROL_KEY: keys.roles.control.privatePem,
      FERRYBOT_WORK_DIR: folder.server,
      FERRYBOT_SWEEP_MS: String(input.sweepMs),
      FERRYBOT_STOP_WITH_STDIN: '1',
      PORT: '0',
    }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const log = createWriteStream(folder.serverLog, { flags: 'a' });
  child.stderr.pipe(log);
  if (child.pid !== undefined) await writeFile(folder.serverPid, String(child.pid));
  let isStopping = false;
  child.once('exit', (code) => {
    if (!isStopping) input.onExit(code);
  });
  const url = await waitUntilListening(child, folder);
  return {
    url,
    pid: child.pid ?? null,
    stop: async () => {
      isStopping = true;
      await waitForEnd(child);
      await rm(folder.serverPid, { force: true });
      log.end();
    },
  };
}

async function waitUntilListening(child: ChildProcess, folder: LabFolder): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the server said nothing for ${START_TIMEOUT_MS} ms; its log: ${folder.serverLog}`)),
      START_TIMEOUT_MS,
    );
    if (child.stdout === null) return reject(new Error('the server has no output'));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}; its log: ${folder.serverLog}`));
    });
  });
}

/** Asks the server to stop, and kills it if it does not. */
async function waitForEnd(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/**
 * Stops the server of an earlier start. A server whose parent was killed ends when its input closes; this handles one
 * that has not ended yet.
 */
async function stopEarlierServer(folder: LabFolder): Promise<void> {
  const pid = await ifThere(readFile(folder.serverPid, 'utf8'));
  if (pid === null) return;
  const commandLine = await ifThere(readFile(`/proc/${pid}/cmdline`, 'utf8'), ['ENOENT', 'ESRCH']);
  if (commandLine?.includes('serve') === true) signalProcess(Number(pid), 'SIGTERM');
}
