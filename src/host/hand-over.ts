/** Runs another of our programs in the foreground. */

import { execa } from 'execa';

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
