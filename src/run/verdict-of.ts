/** How a run of the lane has ended, against the ferries that were sealed before it: the same answer today and in a year. */

import type { LabConfig } from '../config/schema.ts';
import type { SealedMetrics } from '../domain/facts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type FerryVerdict, judgeFerry } from '../ferry/verdict.ts';

/**
 * The verdict on an ended run; null while it has not ended. `laneRuns` is the whole lane, newest first, the run itself
 * or not: what was sealed after the end (the run's own seal, the ferries of later days) is no history of it
 * (policy/daily-ferry.md, close the loop).
 */
export function verdictOf(
  state: RunState,
  config: LabConfig,
  laneRuns: readonly RunState[],
): FerryVerdict | null {
  const { end } = state;
  return end === null ? null : judgeFerry(end, config.lanes.daily, sealedBefore(laneRuns, state.run, end.at));
}

function sealedBefore(
  laneRuns: readonly RunState[],
  own: RunState['run'],
  endedAt: string,
): readonly SealedMetrics[] {
  return laneRuns.flatMap(({ run, proposal, seal }) =>
    seal === null || run === own || Date.parse(seal.at) > Date.parse(endedAt)
      ? []
      : [{ run, date: proposal.date, metrics: seal.metrics }],
  );
}
