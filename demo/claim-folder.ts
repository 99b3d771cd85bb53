/** Allows one playground per folder: two would overwrite each other's world and end each other's server. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessStat } from '../packages/playground/actions/runner/group-record.ts';
import { ifThere, ifThereSync } from '../packages/playground/world/if-there.ts';
import type { LabFolder } from './lab-folder.ts';

export type Claim =
  | { readonly ok: true; readonly release: () => Promise<void> }
  | { readonly ok: false; readonly code: 'in-use'; readonly message: string };

/** Claims the folder for this process until `release`. A claim of a process that no longer runs does not count. */
export async function claimFolder(folder: LabFolder): Promise<Claim> {
  const file = join(folder.root, 'playground.pid');
  const mine = `${process.pid} ${readProcessStat(process.pid)?.start ?? ''}`;
  const release = (): Promise<void> => rm(file, { force: true });
  if (await writeNew(file, mine)) return { ok: true, release };
  const theirs = (await ifThere(readFile(file, 'utf8'))) ?? '';
  const [pid = '', start = ''] = theirs.split(' ');
  const lives = /^\d+$/.test(pid) && Number(pid) !== process.pid && isAlive(Number(pid), start);
  if (lives) {
    const message = `the playground of process ${pid} serves ${folder.root}; end it first, or choose another folder`;
    return { ok: false, code: 'in-use', message };
  }
  await writeFile(file, mine);
  return { ok: true, release };
}

/** Compares the start time too, because a process id may be reused; without /proc only the id is compared. */
function isAlive(pid: number, start: string): boolean {
  if (start !== '') return readProcessStat(pid)?.start === start;
  return ifThereSync(() => process.kill(pid, 0), ['ESRCH']) !== null;
}

/** False if the file already exists. */
async function writeNew(file: string, text: string): Promise<boolean> {
  return (await ifThere(writeFile(file, text, { flag: 'wx' }), ['EEXIST'])) !== null;
}
