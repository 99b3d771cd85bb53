/**
 * The processes of one private Slurm cluster and its jobs, found by its folder in their environments, command lines or
 * working folders.
 */

import { readlink } from 'node:fs/promises';
import { slurm } from '../../packages/playground/limits/limits.ts';
import { GONE_OR_HIDDEN, ifThere } from '../../packages/playground/world/if-there.ts';
import { endAll, otherProcesses, readOf } from '../processes.ts';

/** A variable in the environment of the daemons, which slurmstepd inherits. */
export const MARK = 'FERRYBOT_REHEARSAL_CLUSTER';

/** Kills them all and waits until they have ended. */
export function endProcesses(folder: string): Promise<void> {
  return endAll(`the Slurm cluster in ${folder}`, () => listProcesses(folder), slurm);
}

/** A job starts as a script below the spool folder; its child processes are in its process group. */
async function listProcesses(folder: string): Promise<readonly number[]> {
  const pids = await otherProcesses();
  const seen = await Promise.all(pids.map(async (pid) => ({ pid: Number(pid), ...(await readProcess(pid, folder)) })));
  const groups = new Set(seen.flatMap(({ isOurs, isJob, group }) => (isOurs && isJob ? [group] : [])));
  return seen.flatMap(({ pid, isOurs, group }) => (isOurs || groups.has(group) ? [pid] : []));
}

type ObservedProcess = { readonly isOurs: boolean; readonly isJob: boolean; readonly group: string };

async function readProcess(pid: string, folder: string): Promise<ObservedProcess> {
  const [stat, environment, command, cwd] = await Promise.all([
    readOf(pid, 'stat'),
    readOf(pid, 'environ'),
    readOf(pid, 'cmdline'),
    ifThere(readlink(`/proc/${pid}/cwd`), GONE_OR_HIDDEN),
  ]);
  const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie process holds no resources.
  if (state === 'Z' || state === '') return { isOurs: false, isJob: false, group: '' };
  const isJob = command.includes(`${folder}/spool/`) || `${cwd}/`.startsWith(`${folder}/`);
  const isMarked = environment.split('\0').includes(`${MARK}=${folder}`);
  return { isOurs: isMarked || isJob, isJob: isJob && !isMarked, group };
}
