/** The verdict on a rental: a job that ended itself early as its contract allows has done what was asked, and did not crash. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import type { Ending } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/run-verdict.ts';
import { judgeRun } from '../../run/judge-run.ts';
import { rentalLane } from './settings.ts';

/** Before `minSteps` it is too early, whatever the job says; the step that was expected is then what the verdict names. */
export function judgeRental(end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]): RunVerdict {
  const { earlyStop = null } = rentalLane(lane);
  const reached = end.lastStep;
  const isEarly =
    earlyStop !== null && end.status === 'SUCCEEDED' && reached !== null && reached < (lane.finalStep ?? 0);
  return judgeRun(end, isEarly ? { ...lane, finalStep: earlyStop.minSteps } : lane, history);
}
