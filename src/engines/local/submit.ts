/** Starts a local job at most once per submission id, from any state that a crash left behind. */

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import * as z from 'zod';
import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { currentPidScope, type PidScope } from '../../host/process.ts';
import { claimJob, type RecordRead, readRecord } from '../shared/job-files.ts';
import { checkFiles, checkFolder, checkSpec, unknownOutcome, type VariableRules } from '../shared/kit.ts';

/** Settings of the engine and its access to the machine. */
export type LocalEngineOptions = {
  /** Absolute path; contains one folder per job. It must outlive the runner's checkout. */
  readonly directory: string;
  readonly now: () => number;
  /** The Node that runs the supervisor; default: the Node of this process. */
  readonly nodePath?: string;
  /** The minimal environment of a program; default: this process's PATH and LANG. */
  readonly baseEnv?: Readonly<Record<string, string>>;
  readonly stopGraceMs?: number;
};

export type LocalSettings = Required<LocalEngineOptions>;

const identity = z
  .object({
    host: z.string(),
    bootId: z.string(),
    pidNamespace: z.string(),
    pid: z.int().positive(),
    processStart: z.string().min(1),
    /** Where a supervisor starts its command; absent if a stop took the right to start. */
    workingDirectory: z.string().optional(),
  })
  .readonly();

const exitRecord = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    startError: z.string().nullable(),
    startedAtMs: z.int().nullable(),
    endedAtMs: z.int(),
    stopRequested: z.boolean(),
  })
  .readonly();

export type IdentityRecord = z.infer<typeof identity>;
export type ExitRecord = z.infer<typeof exitRecord>;

export type JobPaths = ReturnType<typeof jobPaths>;

/** Paths of a job's records. Each file appears once, complete. */
export function jobPaths(directory: string, jobId: string) {
  const folder = join(directory, jobId);
  return {
    folder,
    process: join(folder, 'process.json'),
    command: join(folder, 'command.json'),
    stop: join(folder, 'stop.json'),
    exit: join(folder, 'exit.json'),
    log: join(folder, 'log'),
  } as const;
}

/** The supervisor that took the right to start the command. */
export const readProcess = (paths: JobPaths): Promise<RecordRead<IdentityRecord>> =>
  readRecord(paths.process, identity);

/** The command itself, which can outlive a killed supervisor. */
export const readCommand = (paths: JobPaths): Promise<RecordRead<IdentityRecord>> =>
  readRecord(paths.command, identity);

export const readExit = (paths: JobPaths): Promise<RecordRead<ExitRecord>> => readRecord(paths.exit, exitRecord);

/** A started supervisor reports within this time, even on a fully loaded machine (Node starts in 0.1 to 3 s). */
const JOB_START_WAIT_MS = 20_000;
/** An adopter gives the first submitter's supervisor this time to report, before it starts one itself. */
const JOB_ADOPT_WAIT_MS = 2_000;
/** A supervisor tries this often, once a second, to write its exit record (the disk may be full). */
const JOB_EXIT_RECORD_TRIES = 3_600;

const ANY_VARIABLE: VariableRules = {
  isGiven: () => true,
  complaint: (names) => `no process can be given a NUL, as in ${names}`,
};

/**
 * Two atomic steps ensure at most one start. (1) The claim: a finished folder with job.json is renamed to the id's name. A
 * rename onto a non-empty folder fails, so one submitter wins, and all others read which job owns the id. (2) The start: the
 * supervisor creates process.json, which can be created once, before it starts the command. A crash between the steps, or
 * between starting the supervisor and its record, needs no special case. The next submit of the same id waits briefly for
 * the record, and otherwise starts another supervisor. If both run, one finds the record taken and exits without starting
 * anything.
 */
export async function submitLocally(settings: LocalSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = checkSpec(spec, ANY_VARIABLE) ?? (await checkFolder(spec));
  if (refusal !== null) return refusal;
  const claimed = await claimJob(settings.directory, spec, settings.now());
  if (claimed.kind !== 'claimed') return claimed;
  const paths = jobPaths(settings.directory, spec.submissionId);
  const running = await awaitRecord(paths, claimed.as === 'submitted' ? 0 : JOB_ADOPT_WAIT_MS);
  // The job was claimed but never started.
  if (running === null && spec.adoptOnly === true) return { kind: 'absent' };
  const changed = running === null ? await checkFiles(spec.workingDirectory, spec) : null;
  if (changed !== null) return changed;
  const supervisor = running ?? (await startAndAwait(settings, paths, spec));
  if (typeof supervisor === 'string') return unknownOutcome(supervisor);
  const { pid, processStart, bootId: session, workingDirectory = claimed.workingDirectory } = supervisor;
  const { exit: exitRecord, log } = paths;
  const locator = { kind: 'process', pid, processStart, exitRecord, log, workingDirectory } as const;
  const { submissionId: jobId, metadata } = spec;
  return { kind: claimed.as, job: { engine: 'local', jobId, metadata, session, locator } };
}

/** Starts a supervisor. Returns its identity, or why none reported. */
async function startAndAwait(
  settings: LocalSettings,
  paths: JobPaths,
  spec: JobSpec,
): Promise<IdentityRecord | string> {
  // Each start gets a new home: Python runs files that it finds in a home, so the home must be empty.
  const home = await mkdtemp(join(paths.folder, 'home-'));
  const order: SupervisorOrder = {
    folder: paths.folder,
    command: spec.command,
    env: { ...settings.baseEnv, HOME: home, FERRYBOT_SUBMISSION_ID: spec.submissionId, ...spec.env },
    workingDirectory: spec.workingDirectory,
    scope: await currentPidScope(),
    stopGraceMs: settings.stopGraceMs,
    exitRecordTries: JOB_EXIT_RECORD_TRIES,
  };
  const supervisor = execa(settings.nodePath, ['-e', supervisorSource()], {
    cwd: paths.folder,
    env: { ...settings.baseEnv },
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    input: JSON.stringify(order),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  supervisor.nodeChildProcess.unref();
  const record = await awaitRecord(paths, JOB_START_WAIT_MS);
  return record ?? `no supervisor reported within ${JOB_START_WAIT_MS} ms; see ${paths.folder}`;
}

async function awaitRecord(paths: JobPaths, waitMs: number): Promise<IdentityRecord | null> {
  for (let waitedMs = 0; ; waitedMs += limits.jobRecordPollMs) {
    const record = await readProcess(paths);
    if (record.kind === 'there') return record.value;
    if (waitedMs >= waitMs) return null;
    await sleep(limits.jobRecordPollMs);
  }
}

// The small process that supervises one local job: it starts the command once and records how it ended.

/** Writes the record as JSON to `folder/name`, complete and only once. True if this call created the file. */
function publishRecord(folder: string, name: string, record: object): boolean {
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
function processStartNow(pid: number): string {
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
type SupervisorOrder = {
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

  const identity = (pid: number): object => ({ ...order.scope, pid, processStart: tools.processStartNow(pid) });
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
