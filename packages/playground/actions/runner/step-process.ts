/** Runs one program of a step in its own process group and ends it as the real runner does. */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { actions } from '../../limits/limits.ts';
import { ifThereSync } from '../../world/if-there.ts';

export type StepProgram = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment; no host variable is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** Aborted = end the process: interrupt only the process, then terminate it, then kill it with its group. */
  readonly signal: AbortSignal;
  /** Receives the process group, so that the job can end what is left in it. */
  readonly onStart?: (processGroup: number) => void;
};

export type ProgramEnd = { readonly exitCode: number | null; readonly problem: string | null };

/** Resolves when the program itself has ended, even if a detached child still lives or holds its output. */
export async function runProgram(program: StepProgram): Promise<ProgramEnd> {
  const child = execa(program.file, [...program.args], {
    cwd: program.cwd,
    env: { ...program.env },
    extendEnv: false,
    // A process group can be ended as a whole. A child that detaches itself leaves the group and is not ended with it.
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdin: 'ignore',
  });
  const group = child.pid;
  if (group === undefined) {
    const failed = await child;
    return { exitCode: null, problem: failed.message ?? `${program.file} could not be started` };
  }
  program.onStart?.(group);
  const exited = new Promise<number | null>((resolve) => {
    child.nodeChildProcess.once('exit', (code) => resolve(code));
  });
  const read = Promise.all([readLines(child.stdout, program.onLine), readLines(child.stderr, program.onLine)]);
  const watched = new AbortController();
  const ending = endWhenAborted(group, program.signal, watched.signal);
  const exitCode = await exited;
  watched.abort();
  await ending;
  const drained = await Promise.race([read.then(() => true), delay(actions.outputDrainMs, false)]);
  if (!drained) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  await child;
  return { exitCode, problem: null };
}

/** Signals what is left of a process group. A missing group is not an error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalProcess(-group, signal);
}

/** Signals one process, or with a negative number a group. A missing process is not an error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  ifThereSync(() => process.kill(pid, signal), ['ESRCH']);
}

async function endWhenAborted(group: number, abort: AbortSignal, over: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (abort.aborted || over.aborted) return resolve();
    abort.addEventListener('abort', () => resolve(), { once: true });
    over.addEventListener('abort', () => resolve(), { once: true });
  });
  if (over.aborted) return;
  // Only the step's entry process gets the signal (docs: workflow cancellation reference); a shell does not forward it.
  signalProcess(group, 'SIGINT');
  if (await isOverWithin(over, actions.interruptGraceMs)) return;
  signalProcess(group, 'SIGTERM');
  if (await isOverWithin(over, actions.terminateGraceMs)) return;
  signalGroup(group, 'SIGKILL');
}

/** Waits up to `waitMs` for the program's end; true if it ended. */
async function isOverWithin(over: AbortSignal, waitMs: number): Promise<boolean> {
  if (over.aborted) return true;
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs);
    over.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
  });
}

async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => onLine(line.slice(0, actions.logLineCharacters)));
    lines.once('close', resolve);
  });
}
