/** The run that blocks a new proposal in its lane. */

import { isLive } from '../domain/logbook/liveness.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState, standingApprovals } from '../domain/logbook/run-state.ts';

/**
 * `replaceable`: without approval or order, and requested in its own thread, so the request can only mean this run. `elsewhere`: the same,
 * requested in another thread. `busy`: approved, ordered, launched, or ended without a seal.
 */
export type LaneStanding =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaceable' | 'elsewhere' | 'busy'; readonly run: RunState };

/** `thread` null: the schedule asks. */
export function laneStanding(runs: readonly RunState[], thread: number | null): LaneStanding {
  const run = runs.find((one) => !isOver(one) || isLive(one));
  if (run === undefined) return { kind: 'free' };
  const phase = phaseOf(run);
  const isUntouched =
    run.submission === null &&
    run.attempts.length === 0 &&
    (phase === 'proposed' || phase === 'gated') &&
    standingApprovals(run).length === 0 &&
    run.stop === null;
  if (!isUntouched) return { kind: 'busy', run };
  const { pull, issue, own } = run.proposal;
  // A person's own pull request is never closed for a bot's proposal.
  const isHere = own === undefined && (thread === pull || thread === issue);
  return { kind: isHere ? 'replaceable' : 'elsewhere', run };
}
