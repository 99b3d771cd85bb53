/** What stands in the way of a new proposal: the run of the lane that is not over, or still holds something, and whether asking may replace it. */

import { isLive } from '../domain/logbook/liveness.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState, standingApprovals } from '../domain/logbook/run-state.ts';

/**
 * `replaceable`: nobody approved it and nothing was ordered, and it was asked for in its own thread, where asking for
 * other values can only mean this ferry. `elsewhere`: the same, asked for in another thread. `busy`: approved, ordered,
 * launched, or ended without a seal.
 */
export type LaneStanding =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaceable' | 'elsewhere' | 'busy'; readonly run: RunState };

/** The lane as a command in `thread` meets it; null = nobody asks, the schedule does. */
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
  // Somebody's own pull request is not closed for a proposal of the bot's.
  const isHere = own === undefined && (thread === pull || thread === issue);
  return { kind: isHere ? 'replaceable' : 'elsewhere', run };
}
