/** Completes what the schedule began and a crash cut short. */

import { runsOfLane } from '../../domain/logbook/run-state.ts';
import { dateAfter, dateOf } from '../../domain/time.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import type { ProposeOutcome } from '../../run/proposing.ts';
import type { ProposingLane } from '../open-lab.ts';
import { begin } from './begin.ts';
import { placesOf, scheduledOf } from './partial-proposal.ts';

/**
 * Completes a proposal of the schedule that was begun today or yesterday and is not recorded: its branch is there, its
 * run is not. One younger than `graceMs` may still be somebody's work. Null where there is none. Throws `GitError`.
 */
export async function resumeProposal(open: ProposingLane, graceMs: number): Promise<ProposeOutcome | null> {
  const today = dateOf(open.lab.now());
  for (const date of [dateAfter(today, -1), today]) {
    const { runs, broken } = open.store.current();
    if (broken.length > 0 || laneStanding(runsOfLane(runs, open.config.laneName), null).kind !== 'free')
      return null;
    const { begun } = await placesOf(open, date);
    // A commit's time is what its maker says: one of tomorrow is no younger for it.
    const old = begun.filter((one) => Math.abs(open.lab.now() - one.atMs) >= graceMs);
    const [ours] = await scheduledOf(open, old, date);
    if (ours === undefined) continue;
    const { plan } = ours;
    if (plan.kind !== 'planned') return plan;
    const outcome = await begin(open, plan, null);
    open.lab.log(`a proposal that was begun: ${outcome.kind}`, { run: ours.begun.run });
    return outcome.kind === 'lost' ? null : outcome;
  }
  return null;
}
