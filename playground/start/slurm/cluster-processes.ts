/** The processes of one private Slurm cluster and of its jobs: told by its folder, which their environments, command lines or working folders name. */

import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { slurm } from '../../limits/limits.ts';

/** In the environment of the daemons, from which slurmstepd has its own. */
export const MARK = 'FERRYBOT_REHEARSAL_CLUSTER';

/** Kills them all and waits until they are gone. */
export async function endProcessesOf(folder: string): Promise<void> {
  const deadline = performance.now() + slurm.endTimeoutMs;
  for (;;) {
    const left = await processesOf(folder);
    if (left.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`processes of the Slurm cluster in ${folder} do not end: ${left.join(' ')}`);
    for (const pid of left) kill(pid);
    await sleep(slurm.pollMs);
  }
}

/** A job begins with a script below the spool folder; what it starts is in its group. */
async function processesOf(folder: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const seen = await Promise.all(
    pids.map(async (pid) => ({ pid: Number(pid), ...(await lookAt(pid, folder)) })),
  );
  const groups = new Set(seen.flatMap(({ isOurs, isJob, group }) => (isOurs && isJob ? [group] : [])));
  return seen.flatMap(({ pid, isOurs, group }) => (isOurs || groups.has(group) ? [pid] : []));
}

type Seen = { readonly isOurs: boolean; readonly isJob: boolean; readonly group: string };

async function lookAt(pid: string, folder: string): Promise<Seen> {
  const read = (file: string): Promise<string> => ifMay(readFile(`/proc/${pid}/${file}`, 'utf8'));
  const [stat, environment, command, cwd] = await Promise.all([
    read('stat'),
    read('environ'),
    read('cmdline'),
    ifMay(readlink(`/proc/${pid}/cwd`)),
  ]);
  const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // What has ended and waits for its parent holds nothing any more.
  if (state === 'Z' || state === '') return { isOurs: false, isJob: false, group: '' };
  const isJob = command.includes(`${folder}/spool/`) || cwd === folder || cwd.startsWith(`${folder}/`);
  const isMarked = environment.split('\0').includes(`${MARK}=${folder}`);
  return { isOurs: isMarked || isJob, isJob: isJob && !isMarked, group };
}

/** What is read of a process, or nothing for one that has ended meanwhile or is another user's. */
async function ifMay(reading: Promise<string>): Promise<string> {
  try {
    return await reading;
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
