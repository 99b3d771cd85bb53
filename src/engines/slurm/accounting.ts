/** What `sacct` knows of a job that the queue has forgotten, where the cluster has accounting. */

import { askCommand } from './commands.ts';
import type { SeenRecord } from './job-folder.ts';
import { isEndState } from './job-state.ts';
import { momentOf } from './queue.ts';
import type { SlurmSettings } from './settings.ts';

const HOUR_MS = 3_600_000;
const FIELDS = 'JobIDRaw,State,ExitCode,Start,End,NodeList';

/** Null where there is no accounting, nothing of this job, or no end yet: none of them says how it ended. */
export async function readAccounting(
  settings: SlurmSettings,
  jobId: string,
  slurmJobId: string,
  claimedAtMs: number,
): Promise<SeenRecord | null> {
  // Without a start, sacct looks at today alone. The commands live in UTC; two clocks may disagree a little.
  const since = new Date(claimedAtMs - HOUR_MS).toISOString().slice(0, 19);
  const said = await askCommand(settings, 'sacct', [
    '--noheader',
    '--parsable2',
    '--allocations',
    `--uid=${settings.uid}`,
    `--name=${jobId}`,
    `--starttime=${since}`,
    `--format=${FIELDS}`,
  ]);
  if (said.kind === 'unknown') return null;
  const found = said.text.split('\n').map(readAccountingLine);
  return found.find((job) => job?.slurmJobId === slurmJobId) ?? null;
}

/** Null for a line that is no job, and for one that has not ended. */
export function readAccountingLine(line: string): SeenRecord | null {
  const [slurmJobId = '', words = '', exit = '', start, end, nodes = ''] = line.split('|');
  // `CANCELLED by 1000` names who did it.
  const [state = '', by, who = ''] = words.split(' ');
  const [, code, signal] = /^(\d{1,3}):(\d{1,3})$/.exec(exit) ?? [];
  if (!/^\d+$/.test(slurmJobId) || !isEndState(state) || code === undefined) return null;
  return {
    slurmJobId,
    state,
    waitStatus: Number(code) * 256 + Number(signal),
    startedAtMs: momentOf(start),
    endedAtMs: momentOf(end),
    nodes,
    ...(by === 'by' && who !== '' ? { stoppedBy: `uid ${who}` } : {}),
  };
}
