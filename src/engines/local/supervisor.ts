/** The small process that supervises one local job: it starts the command once and records how it ended. */

import type { PidScope } from '../../host/process.ts';

/** Writes the record as JSON to `folder/name`, complete and only once. True if this call created the file. */
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

/** The start time of an existing process, in the same format as src/host/process.ts. */
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

/** Signals a process group. An empty group is no error. */
export function signalGroup(groupId: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    // ESRCH: the group is empty. macOS reports EPERM for a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** What the engine writes to the supervisor's stdin. Secrets in `env` are never written to disk. */
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
 * The program for `node -e`, so that a bundle needs no second file. It consists of the functions' source text, so
 * `supervise` and its tools may use only their arguments.
 */
export function supervisorSource(): string {
  const tools = [`publishRecord: ${publishRecord}`, `processStartNow: ${processStartNow}`];
  return `(${supervise})({ ${tools.join(', ')}, signalGroup: ${signalGroup} });`;
}

/**
 * Runs in its own session, so it outlives the process that started it. The supervisor that creates process.json has the
 * right to start the command, and only one can create it. After any crash, any number of supervisors may be started for one
 * job: the command still starts at most once.
 */
function supervise(tools: Tools): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const { spawn } = process.getBuiltinModule('node:child_process');
  process.on('uncaughtException', (error) => {
    // The engine starts this process in the job's folder, and no process reads its stderr.
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
    // A signal without a stop request came from another process and is not a requested stop.
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
      // Ends the processes that the command left in its group.
      if (commandPid !== undefined) tools.signalGroup(commandPid, 'SIGKILL');
      finish({ exitCode, signal, startError: null }, exitRecordTries);
    });
    if (commandPid !== undefined) tools.publishRecord(folder, 'command.json', identity(commandPid));
  };

  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => fs.appendFileSync('supervisor.log', 'SIGHUP: the job outlives its terminal\n'));
  const { workingDirectory } = order;
  if (!tools.publishRecord(folder, 'process.json', { ...identity(process.pid), workingDirectory })) process.exit(0);
  stopRequested = stopWasRequested();
  if (stopRequested) finish({ exitCode: null, signal: null, startError: null }, exitRecordTries);
  else start();
}
