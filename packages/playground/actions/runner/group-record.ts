/** Remembers on disk which process groups belong to steps, so that a killed playground's leftovers can be ended. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ifThereSync } from '../../world/if-there.ts';
import { signalGroup } from './step-process.ts';

export type GroupRecord = {
  /** Written before the step does anything, which is why this is synchronous. */
  readonly remember: (group: number) => void;
  readonly forget: (group: number) => void;
  /** Kills remembered groups whose leader is still the process that was remembered. */
  readonly endLeftOver: () => Promise<void>;
};

export function createGroupRecord(directory: string): GroupRecord {
  const fileOf = (group: number | string): string => path.join(directory, String(group));
  return {
    remember: (group) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(fileOf(group), startOf(group) ?? '');
    },
    forget: (group) => rmSync(fileOf(group), { force: true }),
    endLeftOver: async () => {
      mkdirSync(directory, { recursive: true });
      for (const name of readdirSync(directory)) {
        const group = Number(name);
        const remembered = readFileSync(fileOf(name), 'utf8');
        // Another process may have the number by now: without the same start time nothing is killed.
        if (remembered !== '' && startOf(group) === remembered) signalGroup(group, 'SIGKILL');
        rmSync(fileOf(name), { force: true });
      }
    },
  };
}

/** Start time of a process in ticks since boot; null where it is gone or there is no /proc. */
function startOf(pid: number): string | null {
  return statOf(pid)?.start ?? null;
}

/** State and start time of a process (proc(5), stat fields 3 and 22); null where it is gone or there is no /proc. */
export function statOf(pid: number): { readonly state: string; readonly start: string } | null {
  const stat = ifThereSync(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), ['ENOENT', 'ESRCH']);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}
