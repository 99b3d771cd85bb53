/** The supervisor process of a manually started job: starts its command, and records how it ended. */

import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { signalGroup } from '../../packages/playground/actions/runner/step-process.ts';
import { processIdentity, publishRecord } from './job-records.ts';

/** After a requested stop, the command has this long to end by itself. */
const GRACE_MS = 10_000;

let startedAtMs: number | null = null;
const [folder = '', cwd = '', program = '', ...args] = process.argv.slice(2);
const isStopRequested = (): boolean => existsSync(join(folder, 'stop.json'));

function end(exitCode: number | null, signal: string | null, startError: string | null): never {
  const endedAtMs = Date.now();
  const how = { exitCode, signal, startError, startedAtMs, endedAtMs, stopRequested: isStopRequested() };
  publishRecord(folder, 'exit.json', how);
  process.exit(0);
}

let pid: number | undefined;
process.on('SIGTERM', () => {
  const group = pid;
  if (group === undefined) return;
  signalGroup(group, 'SIGTERM');
  setTimeout(() => signalGroup(group, 'SIGKILL'), GRACE_MS);
});
// A stop that was requested before the start prevents it.
if (!publishRecord(folder, 'process.json', { ...processIdentity(process.pid), workingDirectory: cwd })) process.exit(0);
if (isStopRequested()) end(null, null, null);
startedAtMs = Date.now();
const log = openSync(join(folder, 'log'), 'a', 0o600);
// A separate process group, so that everything that the job starts ends with it.
const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', log, log] });
child.once('error', ({ message }) => end(null, null, message));
child.once('exit', (exitCode, signal) => {
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  end(exitCode, signal, null);
});
pid = child.pid;
const command = pid === undefined ? null : processIdentity(pid);
if (command !== null) publishRecord(folder, 'command.json', command);
