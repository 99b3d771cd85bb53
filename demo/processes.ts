/** Finds processes of this machine in /proc, and ends groups of them. */

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess } from '../packages/playground/actions/runner/step-process.ts';
import { GONE_OR_HIDDEN, ifThere } from '../packages/playground/world/if-there.ts';

/**
 * Kills the processes that `find` returns until it returns none; throws after `endTimeoutMs`. `what` names them in the
 * error.
 */
export async function endAll(
  what: string,
  find: () => Promise<readonly number[]>,
  { endTimeoutMs, pollMs }: { readonly endTimeoutMs: number; readonly pollMs: number },
): Promise<void> {
  const deadline = performance.now() + endTimeoutMs;
  for (;;) {
    const left = await find();
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`processes of ${what} do not end: ${left.join(' ')}`);
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    await sleep(pollMs);
  }
}

/** All processes except this one. */
export async function otherProcesses(): Promise<readonly string[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
}

/** Processes with that variable and value in their environment, which child processes inherit. */
export async function markedProcesses(name: string, value: string): Promise<readonly number[]> {
  const pids = await otherProcesses();
  const seen = await Promise.all(pids.map((pid) => isMarked(pid, `${name}=${value}`)));
  return pids.filter((_, index) => seen[index]).map(Number);
}

async function isMarked(pid: string, mark: string): Promise<boolean> {
  const [environment, state] = await Promise.all([readOf(pid, 'environ'), readOf(pid, 'stat')]);
  // A zombie process holds no resources.
  return environment.split('\0').includes(mark) && !/\) Z /.test(state);
}

/** A file of /proc about a process; empty if the process has ended in the meantime or belongs to another user. */
export async function readOf(pid: string, file: 'stat' | 'environ' | 'cmdline'): Promise<string> {
  return (await ifThere(readFile(`/proc/${pid}/${file}`, 'utf8'), GONE_OR_HIDDEN)) ?? '';
}
