/**
 * Looks whether a job that is said to have ended still runs, or one of this run ended otherwise. An end is the word of the watch, and whoever has stolen its key can
 * write that a job has failed while it runs: the next attempt, or the next run of the lane, would be a second job beside it.
 */

import { type Engine, isTerminal } from '../domain/engine.ts';
import type { RefusalCode } from '../domain/launch/verdict.ts';
import type { RunState, Submission } from '../domain/logbook/run-state.ts';
import type { OrderRefusal } from './verify-order.ts';

/** The lane's runs before this one whose jobs are asked for: whoever forges the end of one would have to forge that many. */
const EARLIER_RUNS_MAX = 3;

/**
 * Why nothing may be started beside the earlier jobs of this run and of the last runs of its lane, or null. What the engine does
 * not know any more runs no more; a cluster that does not answer is no word that nothing runs there.
 */
export async function earlierJobFault(
  state: RunState,
  others: readonly RunState[],
  { cluster, engine }: { readonly cluster: string; readonly engine: Engine },
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
    const found = await engine.observe(job.jobId, null);
    // A person has given up a job of which nobody could say what it does: that nobody can still does not close the lane.
    if (found.kind === 'unknown' && isGivenUp) continue;
    if (found.kind === 'unknown') return refusal('unreadable', job, `: ${found.message}`);
    if (found.kind !== 'found') continue;
    if (!isTerminal(found.status)) return refusal('attempt-live', job, ` is ${found.status}`);
    if (ended !== null && found.status !== ended)
      return refusal('attempt-otherwise', job, `: ${found.status}`);
  }
  return null;
}

function refusal(code: RefusalCode, { attempt, jobId }: Submission, what: string): OrderRefusal {
  const effect = code === 'unreadable' ? 'standing' : 'ending';
  return { kind: 'refused', code, effect, why: `attempt ${attempt} (${jobId})${what}` };
}
