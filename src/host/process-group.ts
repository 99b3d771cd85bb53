/** Runs a program in its own process group. */

import { execa } from 'execa';
import { letGoOfHeldOutputs } from './held-outputs.ts';
import { codeOf } from './publish-once.ts';

export type GroupOptions = {
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Limit on both outputs together. */
  readonly outputBytesMax: number;
};

/** `not-started` has the system's code; all others have the output so far. */
export type GroupEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | {
      readonly kind: 'cut';
      readonly why: 'timed-out' | 'output-limit' | 'signalled';
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'not-started'; readonly code: string };

/** Runs `file` in its own process group, without a shell, and kills the whole group at the end or at a limit. */
export async function runInGroup(
  file: string,
  args: readonly string[],
  options: GroupOptions,
): Promise<GroupEnd> {
  const subprocess = execa(file, args, {
    env: { ...options.env },
    extendEnv: false,
    cwd: options.cwd,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdin: 'ignore',
    encoding: 'buffer',
  });
  const { pid } = subprocess;
  if (pid === undefined) return { kind: 'not-started', code: (await subprocess).code ?? 'UNKNOWN' };
  const outputs = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  let cutBy: 'timed-out' | 'output-limit' | null = null;
  const cut = (why: 'timed-out' | 'output-limit'): void => {
    cutBy ??= why;
    killGroup(pid);
  };
  let bytes = 0;
  const keep = (into: Uint8Array[], chunk: Uint8Array): void => {
    bytes += chunk.byteLength;
    if (bytes > options.outputBytesMax) cut('output-limit');
    else into.push(chunk);
  };
  subprocess.stdout.on('data', (chunk: Uint8Array) => keep(outputs.stdout, chunk));
  subprocess.stderr.on('data', (chunk: Uint8Array) => keep(outputs.stderr, chunk));
  // Grandchildren would keep the pipes open.
  subprocess.nodeChildProcess.once('exit', () => killGroup(pid));
  letGoOfHeldOutputs(subprocess.nodeChildProcess);
  const timer = setTimeout(() => cut('timed-out'), options.timeoutMs);
  try {
    const { exitCode } = await subprocess;
    const text = { stdout: textOf(outputs.stdout), stderr: textOf(outputs.stderr) };
    if (cutBy !== null || exitCode === undefined) return { kind: 'cut', why: cutBy ?? 'signalled', ...text };
    return { kind: 'exited', exitCode, ...text };
  } finally {
    clearTimeout(timer);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the group is empty. EPERM: macOS, only zombies are left.
    if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error;
  }
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
