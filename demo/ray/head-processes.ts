/**
 * The processes of one Ray head and its jobs, found by its folder in their command lines, environments or open files.
 */

import { readdir, readlink } from 'node:fs/promises';
import { ray } from '../../packages/playground/limits/limits.ts';
import { GONE_OR_HIDDEN, ifThere } from '../../packages/playground/world/if-there.ts';
import { endAll, otherProcesses, readOf } from '../processes.ts';

/** A variable in the environment of the head, which everything on it inherits. */
export const HEAD_MARK = 'FERRYBOT_REHEARSAL_HEAD';

/** Kills them all and waits until they have ended: then the ports are free, and no job outlives its head. */
export function endHead(folder: string): Promise<void> {
  return endAll(`the Ray head in ${folder}`, () => listProcesses(folder), ray);
}

async function listProcesses(folder: string): Promise<readonly number[]> {
  const pids = await otherProcesses();
  const belongs = await Promise.all(pids.map(async (pid) => isOnHead(pid, folder)));
  return pids.filter((_, index) => belongs[index]).map(Number);
}

async function isOnHead(pid: string, folder: string): Promise<boolean> {
  const [state, environment, command] = await Promise.all([
    readOf(pid, 'stat'),
    readOf(pid, 'environ'),
    readOf(pid, 'cmdline'),
  ]);
  // A zombie process holds no resources.
  if (/\) Z /.test(state)) return false;
  return (
    environment.split('\0').includes(`${HEAD_MARK}=${folder}`) ||
    command.includes(`--temp-dir=${folder}`) ||
    // A node's agents overwrite both with their title, outlive a killed node, and hold its ports.
    (command.startsWith('ray::') && (await hasFileBelow(pid, folder)))
  );
}

/** Whether one of its open files, such as a log, is or was below the folder. */
async function hasFileBelow(pid: string, folder: string): Promise<boolean> {
  const files = (await ifThere(readdir(`/proc/${pid}/fd`), GONE_OR_HIDDEN)) ?? [];
  const places = await Promise.all(files.map((file) => ifThere(readlink(`/proc/${pid}/fd/${file}`), GONE_OR_HIDDEN)));
  return places.some((place) => place?.startsWith(`${folder}/`) === true);
}
