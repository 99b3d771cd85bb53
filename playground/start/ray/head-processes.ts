/** The processes of one Ray head and of the jobs on it: told by its folder, which their command lines or their environments name. */

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ray } from '../../limits/limits.ts';

/** In the environment of the head, from which everything on it has its own. */
export const HEAD_MARK = 'FERRYBOT_REHEARSAL_HEAD';

/** Kills them all and waits until they are gone: the ports are free then, and no job outlives its head. */
export async function endHead(folder: string): Promise<void> {
  const deadline = performance.now() + ray.endTimeoutMs;
  for (;;) {
    const left = await processesOf(folder);
    if (left.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`processes of the Ray head in ${folder} do not end: ${left.join(' ')}`);
    for (const pid of left) kill(pid);
    await sleep(ray.pollMs);
  }
}

async function processesOf(folder: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const belongs = await Promise.all(pids.map(async (pid) => isOnHead(pid, folder)));
  return pids.filter((_, index) => belongs[index]).map(Number);
}

async function isOnHead(pid: string, folder: string): Promise<boolean> {
  const [state, environment, command] = await Promise.all(
    ['stat', 'environ', 'cmdline'].map((file) => readIfMay(`/proc/${pid}/${file}`)),
  );
  // What has ended and waits for its parent holds nothing any more.
  if (/\) Z /.test(state ?? '')) return false;
  return (
    (environment ?? '').split('\0').includes(`${HEAD_MARK}=${folder}`) ||
    (command ?? '').includes(`--temp-dir=${folder}`)
  );
}

/** Empty for a process that has ended meanwhile or is another user's. */
async function readIfMay(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
