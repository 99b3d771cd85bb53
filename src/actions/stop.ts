/** Stops the job of a run if a recorded `/stop` asks for it. No claim is needed: a second stop call does no harm. */

import type { Engine, StopOutcome } from '../domain/engine.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { StepContext } from './change-cluster.ts';
import { mintStop } from './mint.ts';

/** The engine's answer; null if there is nothing to stop, or the job has ended. */
export async function stopJob(
  { now, boundary }: StepContext,
  engine: Engine | null,
  state: RunState,
): Promise<StopOutcome | null> {
  const asOf = now();
  const capability = mintStop(state, asOf);
  if (capability === null || state.submission === null || state.end !== null || engine === null) return null;
  boundary('stop-job', 'before');
  const outcome = await engine.stop(state.submission.jobId, { capability, now: asOf });
  boundary('stop-job', 'after');
  return outcome;
}
