/** The processes of one Ray head and of the jobs on it: told by its folder, which their command lines, their environments or their open files name. */

import { readdir, readFile, readlink } from 'node:fs/promises';
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
    (command ?? '').includes(`--temp-dir=${folder}`) ||
    // The agents of a node write their title over both, outlive a node that was killed, and hold its ports.
    ((command ?? '').startsWith('ray::') && (await hasFileBelow(pid, folder)))
  );
}

/** Whether one of its open files, such as a log, lies or lay below the folder. */
async function hasFileBelow(pid: string, folder: string): Promise<boolean> {
  const files = await mayHaveGone(readdir(`/proc/${pid}/fd`), []);
  const places = await Promise.all(files.map((file) => mayHaveGone(readlink(`/proc/${pid}/fd/${file}`), '')));
  return places.some((place) => place.startsWith(`${folder}/`));
}

function readIfMay(path: string): Promise<string> {
  return mayHaveGone(readFile(path, 'utf8'), '');
}

/** What is read of a process, or nothing for one that has ended meanwhile or is another user's. */
async function mayHaveGone<Read>(reading: Promise<Read>, nothing: Read): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return nothing;
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
