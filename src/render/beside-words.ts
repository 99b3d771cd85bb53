/** What runs on the cluster beside a run and names it, as people read it: told apart from the run's own job, and left alone. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { code, utc } from './words.ts';

/** Null where the newest look has seen none. */
export function besideText({ observation }: Pick<RunState, 'observation'>): string | null {
  const beside = observation?.beside ?? [];
  if (beside.length === 0) return null;
  const jobs = beside.map(
    ({ jobId, status, since }) => `${code(jobId)} (${status}${since === null ? '' : ` since ${utc(since)}`})`,
  );
  return `On the cluster beside it, naming this run and no job of this attempt: ${jobs.join(', ')}. ferrybot stops none of them: whoever left a diagnostic running there ends it by the means of the cluster.`;
}
