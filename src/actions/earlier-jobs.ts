/**
 * Checks whether a job that the record reports as ended still runs, or ended with another status. Only the watch records an end. A thief
 * of its key could record a failure while the job runs. The next attempt, or the lane's next run, would then be a second job.
 */

import { type Engine, isTerminal } from '../domain/engine.ts';
import type { RefusalCode } from '../domain/launch/verdict.ts';
import type { RunState, Submission } from '../domain/logbook/run-state.ts';
import { type Clock, pollUntil } from './change-cluster.ts';
import type { OrderRefusal } from './verify-order.ts';

/** How many earlier runs of the lane are checked. A forger would have to forge the ends of all of them. */
const EARLIER_RUNS_MAX = 3;

/**
 * How long to wait for a recorded end. A rented machine that is being destroyed may still be listed as running, already without the log
 * that proves the end.
 */
const END_WAIT = { waitMs: 30_000, periodMs: 5_000 };

/**
 * Why no job may start while earlier jobs of this run or of the lane's last runs may be live, or null. A job that the engine
 * no longer knows does not run. An unreachable cluster does not prove that nothing runs there.
 */
export async function findEarlierJobFault(
  state: RunState,
  others: readonly RunState[],
  { cluster, engine, clock }: { readonly cluster: string; readonly engine: Engine; readonly clock: Clock },
): Promise<OrderRefusal | null> {
  const earlier = others
    .filter(({ run, submission }) => run !== state.run && submission !== null)
    .toSorted((a, b) => b.proposedAt.localeCompare(a.proposedAt))
    .slice(0, EARLIER_RUNS_MAX);
  const jobs = [
    ...state.attempts.map(({ submission: job, end }) => ({ job, ended: end.status, isGivenUp: false })),
    ...earlier.flatMap(({ submission: job, closed }) =>
      job === null ? [] : [{ job, ended: null, isGivenUp: closed?.outcome === 'lost' }],
    ),
  ];
  for (const { job, ended, isGivenUp } of jobs.filter((one) => one.job.cluster === cluster)) {
    const found = await pollUntil(
      clock,
      END_WAIT,
      () => engine.observe(job.jobId, null),
      (seen) => seen.kind !== 'found' || isTerminal(seen.status),
    );
    // A person gave this job up because its state could not be read. That it still cannot be read must not block the lane.
    if (found.kind === 'unknown' && isGivenUp) continue;
    if (found.kind === 'unknown') return refuseForJob('unreadable', job, `: ${found.message}`);
    if (found.kind !== 'found') continue;
    if (!isTerminal(found.status)) return refuseForJob('attempt-live', job, ` is ${found.status}`);
    if (ended !== null && found.status !== ended) return refuseForJob('attempt-otherwise', job, `: ${found.status}`);
  }
  return null;
}

function refuseForJob(code: RefusalCode, { attempt, jobId }: Submission, what: string): OrderRefusal {
  const effect = code === 'unreadable' ? 'standing' : 'ending';
  return { kind: 'refused', code, effect, why: `attempt ${attempt} (${jobId})${what}` };
}
