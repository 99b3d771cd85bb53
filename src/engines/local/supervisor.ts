/** The small process that stands over one local job: starts its command once, records how it ended. */

import type { PidScope } from '../../host/process.ts';

/** Creates `folder/name` with the record as JSON, whole and only once; true when this call made it. */
export function publishRecord(folder: string, name: string, record: object): boolean {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const draft = path.join(folder, `.${name}.${process.pid}.tmp`);
  fs.writeFileSync(draft, JSON.stringify(record), { flush: true, mode: 0o600 });
  try {
    fs.linkSync(draft, path.join(folder, name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.unlinkSync(draft);
  }
}

/** The start time of a process that exists, in the same words as src/host/process.ts. */
export function processStartNow(pid: number): string {
  const fs = process.getBuiltinModule('node:fs');
  if (fs.existsSync('/proc/self/stat')) {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  }
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
}

/** Signals a process group; one that has nobody left is fine. */
export function signalGroup(groupId: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    // ESRCH: nobody is left. EPERM is macOS's word for a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** What the engine writes to the supervisor's stdin. Secrets in `env` never touch the disk. */
export type SupervisorOrder = {
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly scope: PidScope;
  readonly stopGraceMs: number;
  readonly exitRecordTries: number;
};

type Tools = {
  readonly publishRecord: typeof publishRecord;
  readonly processStartNow: typeof processStartNow;
  readonly signalGroup: typeof signalGroup;
};

type CommandEnd = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startError: string | null;
};

/**
 * The program for `node -e`, so that a bundle needs no second file. It is made of the functions' own
 * text, so `supervise` and its tools may use nothing but their arguments.
 */
export function supervisorSource(): string {
  const tools = [`publishRecord: ${publishRecord}`, `processStartNow: ${processStartNow}`];
  return `(${supervise})({ ${tools.join(', ')}, signalGroup: ${signalGroup} });`;
}

/**
 * Runs in its own session, so it outlives the process that started it. The right to start the command
 * is the creation of process.json, which succeeds for one supervisor only: any number may be started
 * for one job, after whatever crash, and the command still starts at most once.
 */
function supervise(tools: Tools): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const { spawn } = process.getBuiltinModule('node:child_process');
  process.on('uncaughtException', (error) => {
    // The engine starts it inside the job's folder, with nobody left to read its stderr.
    fs.appendFileSync('supervisor.log', `${error.stack ?? error.message}\n`);
    process.exit(1);
  });
  const order: SupervisorOrder = JSON.parse(fs.readFileSync(0, 'utf8'));
  const { folder, exitRecordTries } = order;
  let commandPid: number | undefined;
  let stopRequested = false;
  let startedAtMs: number | null = null;

  const identity = (pid: number): object => ({
    ...order.scope,
    pid,
    processStart: tools.processStartNow(pid),
  });
  const stopWasRequested = (): boolean => fs.existsSync(path.join(folder, 'stop.json'));
  const finish = (end: CommandEnd, triesLeft: number): void => {
    try {
      tools.publishRecord(folder, 'exit.json', { ...end, startedAtMs, endedAtMs: Date.now(), stopRequested });
      process.exit(0);
    } catch (error) {
      if (triesLeft <= 1) throw error;
      setTimeout(() => finish(end, triesLeft - 1), 1_000);
    }
  };
  const stop = (): void => {
    // A signal without a stop request came from somebody else and is no stop of ours.
    stopRequested ||= stopWasRequested();
    const pid = commandPid;
    if (pid === undefined) return;
    tools.signalGroup(pid, 'SIGTERM');
    setTimeout(() => tools.signalGroup(pid, 'SIGKILL'), order.stopGraceMs);
  };
  const start = (): void => {
    const log = fs.openSync(path.join(folder, 'log'), 'a', 0o600);
    const [program = '', ...args] = order.command;
    const { env, workingDirectory: cwd } = order;
    startedAtMs = Date.now();
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
    commandPid = child.pid;
    child.once('error', (error) =>
      finish({ exitCode: null, signal: null, startError: error.message }, exitRecordTries),
    );
    child.once('exit', (exitCode, signal) => {
      // What the command left behind in its group ends with it.
      if (commandPid !== undefined) tools.signalGroup(commandPid, 'SIGKILL');
      finish({ exitCode, signal, startError: null }, exitRecordTries);
    });
    if (commandPid !== undefined) tools.publishRecord(folder, 'command.json', identity(commandPid));
  };

  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => fs.appendFileSync('supervisor.log', 'SIGHUP: the job outlives its terminal\n'));
  const { workingDirectory } = order;
  if (!tools.publishRecord(folder, 'process.json', { ...identity(process.pid), workingDirectory }))
    process.exit(0);
  stopRequested = stopWasRequested();
  if (stopRequested) finish({ exitCode: null, signal: null, startError: null }, exitRecordTries);
  else start();
}
