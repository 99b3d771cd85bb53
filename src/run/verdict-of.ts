/** A run's verdict. */

import type { SealedMetrics } from '../domain/facts.ts';
import { type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import type { RunVerdict } from '../domain/run-verdict.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/**
 * The verdict on an ended run; null before its end. `runs`: recorded runs, newest first. Only runs of its lane sealed before its end count,
 * so the verdict never changes later (policy DF-29).
 */
export function verdictOf(
  state: RunState,
  config: LaneScopedConfig,
  runs: readonly RunState[],
): RunVerdict | null {
  const { end } = state;
  const lane = runsOfLane(runs, state.proposal.lane);
  return end === null ? null : config.kind.judge(end, config.lane, sealedBefore(lane, state.run, end.at));
}

function sealedBefore(
  recordedRuns: readonly RunState[],
  own: RunState['run'],
  endedAt: string,
): readonly SealedMetrics[] {
  return recordedRuns.flatMap(({ run, proposal, seal }) =>
    seal === null || run === own || Date.parse(seal.at) > Date.parse(endedAt)
      ? []
      : [{ run, date: proposal.date, metrics: seal.metrics }],
  );
}
