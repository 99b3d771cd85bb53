/** `squeue` without a name: what waits or runs on the cluster now, of whichever account this one may see. */

import type { LiveJob } from '../../domain/engine.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readQueueOf } from './queue.ts';
import type { SlurmSettings } from './settings.ts';

/** What has begun to end is not told of: it goes by itself. */
const LIVE: Readonly<Record<string, LiveJob['status']>> = {
  PENDING: 'PENDING',
  CONFIGURING: 'PENDING',
  RUNNING: 'RUNNING',
  SUSPENDED: 'RUNNING',
};

/** Ours by the names under which they were submitted, others by their numbers: no command is listed. */
export async function liveOnSlurm(settings: SlurmSettings): Promise<Observed<readonly LiveJob[]>> {
  const queue = await readQueueOf(settings, []);
  if (queue.kind === 'unknown') return unknown(queue.message);
  return known(
    queue.jobs.flatMap(({ slurmJobId, name, state, startedAtMs, metadata }) => {
      const status = LIVE[state];
      const jobId = metadata === null ? slurmJobId : name;
      return status === undefined ? [] : [{ jobId, status, startedAtMs, metadata, about: name }];
    }),
  );
}
