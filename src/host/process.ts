/** Runs a program with limits on time and output. */

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { limits } from '../domain/limits.ts';
import { codeOf } from './files.ts';

/** Enough to read what is left in a pipe (64 KiB), even on a busy machine. */
const PROGRAM_OUTPUT_QUIET_MS = 2_000;
/** Output after this time comes from another process. */
const PROGRAM_OUTPUT_HELD_MS = 10_000;

/**
 * Closes the outputs of an ended program that another process holds open (`ssh -f`, a shared ssh connection); otherwise waiting for their
 * end never finishes. Call it once, right after the start. Stops after `PROGRAM_OUTPUT_QUIET_MS` without output, at the latest after
 * `PROGRAM_OUTPUT_HELD_MS`.
 */
function letGoOfHeldOutputs(child: ChildProcess): void {
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
  child.once('exit', () => {
    let read = bytesOf(outputs);
    let heldMs = 0;
    const timer = setInterval(() => {
      if (outputs.every((output) => output.closed)) return clearInterval(timer);
      const now = bytesOf(outputs);
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

function bytesOf(outputs: readonly Readable[]): number {
  // A child's pipes are sockets, which count bytes.
  return outputs.reduce((sum, output) => sum + Number('bytesRead' in output ? output.bytesRead : 0), 0);
}

/** A helper program without an end after two minutes hangs. */
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
  /** Runs in a process group of its own, all of which is killed when the program ends or meets a limit. */
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
export async function runProgram(
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramResult> {
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
  letGoOfHeldOutputs(subprocess.nodeChildProcess);
  const result = await subprocess;
  const kind = kindOf(result);
  return {
    kind,
    ok: kind === 'exited' && result.exitCode === 0,
    exitCode: kind === 'exited' ? (result.exitCode ?? null) : null,
    signal: result.signal ?? null,
    code: kind === 'not-started' ? (result.code ?? 'UNKNOWN') : null,
    timedOut: result.timedOut,
    stdout: textOf(result.stdout),
    stderr: kind === 'not-started' ? (result.shortMessage ?? '') : textOf(result.stderr),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the group is empty. EPERM: macOS, only zombies are left.
    if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error;
  }
}

type Ending = {
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly isMaxBuffer: boolean;
  readonly exitCode?: number;
  readonly signal?: string;
};

function kindOf(ending: Ending): ProgramResult['kind'] {
  if (ending.timedOut) return 'timed-out';
  if (ending.isCanceled) return 'cancelled';
  if (ending.isMaxBuffer) return 'output-limit';
  if (ending.exitCode !== undefined) return 'exited';
  return ending.signal === undefined ? 'not-started' : 'signalled';
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}

/**
 * Runs `file` with this Node, output and signals, and waits. The child stops when its input ends (`FERRYBOT_STOP_WITH_STDIN`), so it never
 * outlives us. Returns the exit code, or 1 after a signal.
 */
export async function handOver(
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
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
  try {
    return (await child).exitCode ?? 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward);
  }
}

/** Whether the program is missing or not executable: then another one may take its place. */
export function couldNotStart({ kind, code }: ProgramResult): boolean {
  return kind === 'not-started' && (code === 'ENOENT' || code === 'EACCES');
}
