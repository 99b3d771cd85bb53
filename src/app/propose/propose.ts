/** mode: propose, the daily workflow: what people asked for first, then the one that was begun, then a new one. */

import { GitError } from '../../domain/git.ts';
import { holdsOn } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import { dateOf } from '../../domain/time.ts';
import { USUAL_OBJECTIVE } from '../../ferry/ask/objective.ts';
import { laneStanding } from '../../ferry/ask/standing.ts';
import type { OpenLab } from '../open-lab.ts';
import { begin } from './begin.ts';
import { LANE, placesOf } from './begun.ts';
import { completeBegun } from './complete-begun.ts';
import { askForObjective } from './objective-question.ts';
import { nothing, type ProposeOutcome } from './outcome.ts';
import { planProposal } from './plan.ts';
import { carryOutRequests } from './requests.ts';

/** Proposes today's ferry. */
export async function propose(open: OpenLab): Promise<ProposeOutcome> {
  try {
    if (open.keeper.current().broken.length === 0) await carryOutRequests(open);
    return (await completeBegun(open, 0)) ?? (await proposeToday(open));
  } catch (error) {
    if (error instanceof GitError) return { kind: 'failed', code: 'unreadable', why: error.message };
    throw error;
  }
}

async function proposeToday(open: OpenLab): Promise<ProposeOutcome> {
  const date = dateOf(open.lab.now());
  for (let round = 0; round < limits.requestRoundsMax; round += 1) {
    const { runs, broken, journal } = open.keeper.current();
    const [first] = broken;
    if (first !== undefined)
      return {
        kind: 'failed',
        code: 'unreadable',
        why: `the logbook of ${first.run} is broken; see the incident`,
      };
    const standing = laneStanding(runs, null);
    if (standing.kind !== 'free') return { kind: 'already', run: standing.run.run };
    const [hold] = holdsOn(journal.holds, date);
    if (hold !== undefined)
      return { kind: 'held', why: `${hold.kind} by ${hold.actor.login}: ${hold.reason}` };
    const { free } = await placesOf(open, LANE, date);
    if (free === null) return nothing('too-many-today', `${limits.proposalsPerDayMax} proposals on ${date}`);
    if (open.config.lanes.daily.objective === 'ask') return askForObjective(open, free, date);
    const planned = await planProposal(open, { run: free, date, objective: USUAL_OBJECTIVE, request: null });
    // Only knobs that a person named can be refused.
    if (planned.kind === 'refused') throw new Error(`nobody asked for ${planned.refusal.code}`);
    if (planned.kind !== 'planned') return planned;
    const outcome = await begin(open, planned, null);
    if (outcome.kind !== 'lost') return outcome;
    await open.keeper.load();
  }
  return { kind: 'failed', code: 'unreadable', why: 'other proposals kept being faster' };
}
