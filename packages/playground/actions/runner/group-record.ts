/** Records on disk which process groups belong to steps, so that the leftovers of a killed playground can be ended. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ifThereSync } from '../../world/if-there.ts';
import { signalGroup } from './step-process.ts';

export type GroupRecord = {
  /** Written before the step does anything. This is why it is synchronous. */
  readonly remember: (group: number) => void;
  readonly forget: (group: number) => void;
  /** Kills recorded groups whose leader is still the recorded process. */
  readonly endLeftOver: () => Promise<void>;
};

export function createGroupRecord(directory: string): GroupRecord {
  const fileOf = (group: number | string): string => path.join(directory, String(group));
  return {
    remember: (group) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(fileOf(group), processStart(group) ?? '');
    },
    forget: (group) => rmSync(fileOf(group), { force: true }),
    endLeftOver: async () => {
      mkdirSync(directory, { recursive: true });
      for (const name of readdirSync(directory)) {
        const group = Number(name);
        const remembered = readFileSync(fileOf(name), 'utf8');
        // Another process may have the same id by now. Kill it only if the start time is the same.
        if (remembered !== '' && processStart(group) === remembered) signalGroup(group, 'SIGKILL');
        rmSync(fileOf(name), { force: true });
      }
    },
  };
}

/** Start time of a process in ticks since boot; null when the process has ended or there is no /proc. */
function processStart(pid: number): string | null {
  return readProcessStat(pid)?.start ?? null;
}

/** State and start time of a process (proc(5), stat fields 3 and 22); null when it has ended or there is no /proc. */
export function readProcessStat(pid: number): { readonly state: string; readonly start: string } | null {
  const stat = ifThereSync(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), ['ENOENT', 'ESRCH']);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}
