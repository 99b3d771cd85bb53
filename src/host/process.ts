/** Runs programs with limits on time and output, and identifies processes across hosts and boots. */

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { limits } from '../domain/limits.ts';
import { errorCode } from './files.ts';

/** Enough time to read the rest of a pipe (64 KiB), even on a busy machine. */
const PROGRAM_OUTPUT_QUIET_MS = 2_000;
/** Output after this time comes from another process. */
const PROGRAM_OUTPUT_HELD_MS = 10_000;

/**
 * Closes the outputs of an ended program that another process holds open (`ssh -f`, a shared ssh connection); otherwise waiting for their
 * end never finishes. Call it once, right after the start. Stops after `PROGRAM_OUTPUT_QUIET_MS` without output, at the latest after
 * `PROGRAM_OUTPUT_HELD_MS`.
 */
function releaseHeldOutputs(child: ChildProcess): void {
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
  child.once('exit', () => {
    let read = countBytes(outputs);
    let heldMs = 0;
    const timer = setInterval(() => {
      if (outputs.every((output) => output.closed)) return clearInterval(timer);
      const now = countBytes(outputs);
      heldMs += PROGRAM_OUTPUT_QUIET_MS;
      if (now > read && heldMs < PROGRAM_OUTPUT_HELD_MS) {
        read = now;
        return;
      }
      clearInterval(timer);
      for (const output of outputs) output.destroy();
    }, PROGRAM_OUTPUT_QUIET_MS);
    child.once('close', () => clearInterval(timer));
  });
}

function countBytes(outputs: readonly Readable[]): number {
  // A child's pipes are sockets, which count bytes.
  return outputs.reduce((sum, output) => sum + Number('bytesRead' in output ? output.bytesRead : 0), 0);
}

/** A helper program that runs for two minutes hangs. */
const PROGRAM_TIMEOUT_MS = 120_000;
/** Far above git's output for one interval. */
const PROGRAM_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** The child sees only `env`. */
export type RunOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to stdin; default: empty. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Limit on stdout and stderr, in bytes each. */
  readonly outputBytesMax?: number;
  readonly signal?: AbortSignal;
  /** Runs in its own process group. The whole group is killed when the program ends or reaches a limit. */
  readonly isGroup?: boolean;
};

/** `not-started` has the system's code (ENOENT: no such program or folder). `output-limit`: killed for too much output. */
export type ProgramResult = {
  readonly kind: 'exited' | 'signalled' | 'timed-out' | 'cancelled' | 'output-limit' | 'not-started';
  readonly ok: boolean;
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The system's error code if `not-started`. */
  readonly code: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs `file` with `args`, without a shell. Output is UTF-8 with the final newline. Never throws for a failed program. */
export async function runProgram(file: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
  const { isGroup = false } = options;
  const subprocess = execa(file, args, {
    env: { ...options.env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: options.timeoutMs ?? PROGRAM_TIMEOUT_MS,
    maxBuffer: options.outputBytesMax ?? PROGRAM_OUTPUT_BYTES_MAX,
    // Makes the limit count bytes; text is decoded below.
    encoding: 'buffer',
    forceKillAfterDelay: limits.programKillGraceMs,
    ...(isGroup ? { detached: true, cleanup: false, killSignal: 'SIGKILL' as const } : {}),
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  const { pid } = subprocess;
  // Processes that the program started would keep its outputs open.
  if (isGroup && pid !== undefined) subprocess.nodeChildProcess.once('exit', () => killGroup(pid));
  releaseHeldOutputs(subprocess.nodeChildProcess);
  const result = await subprocess;
  const kind = resultKind(result);
  return {
    kind,
    ok: kind === 'exited' && result.exitCode === 0,
    exitCode: kind === 'exited' ? (result.exitCode ?? null) : null,
    signal: result.signal ?? null,
    code: kind === 'not-started' ? (result.code ?? 'UNKNOWN') : null,
    timedOut: result.timedOut,
    stdout: decodeOutput(result.stdout),
    stderr: kind === 'not-started' ? (result.shortMessage ?? '') : decodeOutput(result.stderr),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the group is empty. EPERM: macOS, only zombies are left.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

type Ending = {
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly isMaxBuffer: boolean;
  readonly exitCode?: number;
  readonly signal?: string;
};

function resultKind(ending: Ending): ProgramResult['kind'] {
  if (ending.timedOut) return 'timed-out';
  if (ending.isCanceled) return 'cancelled';
  if (ending.isMaxBuffer) return 'output-limit';
  if (ending.exitCode !== undefined) return 'exited';
  return ending.signal === undefined ? 'not-started' : 'signalled';
}

function decodeOutput(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}

/**
 * Runs `file` with this Node, output and signals, and waits. The child stops when its input ends (`FERRYBOT_STOP_WITH_STDIN`), so it never
 * outlives us. Returns the exit code, or 1 after a signal.
 */
export async function runInForeground(
  file: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = execa(process.execPath, [file, ...args], {
    cwd,
    env: { ...environment, FERRYBOT_STOP_WITH_STDIN: '1' },
    extendEnv: false,
    reject: false,
    stdin: 'pipe',
    stdout: 'inherit',
    stderr: 'inherit',
  });
  const forwardSignal = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forwardSignal);
  try {
    return (await child).exitCode ?? 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forwardSignal);
  }
}

/** Whether the program is missing or not executable, so that the caller may try another one. */
export function failedToStart({ kind, code }: ProgramResult): boolean {
  return kind === 'not-started' && (code === 'ENOENT' || code === 'EACCES');
}

/** Where a pid is valid: host, boot and pid namespace ('' without namespaces). */
export type PidScope = { readonly host: string; readonly bootId: string; readonly pidNamespace: string };

/** The start time distinguishes processes with the same pid. */
export type ProcessIdentity = PidScope & { readonly pid: number; readonly processStart: string };

/** `unknown`: the pid's scope is not visible here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Linux: from /proc; otherwise the boot time from `sysctl`. */
export async function currentPidScope(): Promise<PidScope> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id');
  if (bootId === null) return { host: hostname(), bootId: await bootTime(), pidNamespace: '' };
  return { host: hostname(), bootId: bootId.trim(), pidNamespace: await readlink('/proc/self/ns/pid') };
}

/** Start time of a running pid in its scope's format, or null. */
export async function readProcessStart(pid: number): Promise<string | null> {
  if ((await readIfThere('/proc/self/stat')) === null) return readStartByPs(pid);
  const stat = await readIfThere(`/proc/${pid}/stat`);
  return stat === null ? null : parseProcessStart(stat);
}

/** Another boot of the same host means dead; another namespace or host means unknown. */
export async function checkLiveness(process: ProcessIdentity, here: PidScope): Promise<Liveness> {
  if (process.bootId !== here.bootId) return process.host === here.host ? 'dead' : 'unknown';
  if (process.pidNamespace !== here.pidNamespace) return 'unknown';
  return (await readProcessStart(process.pid)) === process.processStart ? 'alive' : 'dead';
}

/** Field 22 of /proc/pid/stat, proc(5); null for a zombie. */
export function parseProcessStart(stat: string): string | null {
  // The name in parentheses may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

async function readStartByPs(pid: number): Promise<string | null> {
  const result = await runProgram('ps', ['-o', 'lstart=', '-p', String(pid)], { env: psEnv() });
  const text = result.stdout.trim();
  if (result.ok && text !== '') return text;
  if (result.kind === 'exited' && text === '') return null;
  throw new Error(`ps cannot tell whether ${pid} runs: ${result.code ?? result.stderr}`);
}

async function bootTime(): Promise<string> {
  const result = await runProgram('sysctl', ['-n', 'kern.boottime'], { env: psEnv() });
  if (!result.ok) throw new Error(`the boot time cannot be read: ${result.code ?? result.stderr}`);
  return result.stdout.trim();
}

function psEnv(): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin', LC_ALL: 'C' };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}

type Ancestor = { readonly pid: number; readonly name: string };

/** Parent processes with a secret in their readable environment, nearest first; none without /proc. */
export function findAncestorsThatExpose(secrets: readonly string[]): readonly Ancestor[] {
  const found: Ancestor[] = [];
  const texts = secrets.filter((secret) => secret !== '');
  for (let pid = process.ppid; pid > 1; ) {
    const status = textIfReadable(`/proc/${pid}/status`) ?? '';
    const shown = textIfReadable(`/proc/${pid}/environ`) ?? '';
    if (texts.some((text) => shown.includes(text)))
      found.push({ pid, name: /^Name:\s*(.*)$/m.exec(status)?.[1] ?? '' });
    pid = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return found;
}

/** Null for a process that ended or belongs to another user. */
function textIfReadable(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const unreadable: readonly unknown[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
    if (error instanceof Error && 'code' in error && unreadable.includes(error.code)) return null;
    throw error;
  }
}
