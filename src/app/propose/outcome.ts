/** What becomes of a request for a run: what stands in its way, and how it is answered. */

import { assertNever } from '../../domain/assert.ts';
import { GitError } from '../../domain/git.ts';
import type { RunId } from '../../domain/ids.ts';
import { type Hold, holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { dateOf } from '../../domain/time.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { pendingProposal } from '../../run/proposal-record.ts';
import { type Answered, answerTo, cutAnswer, inTheWay } from '../../run/propose-answers.ts';
import type { Failed, Nothing, Refused } from '../../run/proposing.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import type { BeginOutcome } from './begin.ts';

/** `again`: another process was faster; decide again. `isRunning`: later commands wait for this one. */
export type RequestOutcome =
  | Answered
  | { readonly kind: 'wait'; readonly why: string; readonly isRunning?: true }
  | { readonly kind: 'again' };

type Decided = Exclude<RequestOutcome, { readonly kind: 'again' }>;

/** What a lane has to be rid of before a run can begin in it. */
type Obstacle =
  | { readonly kind: 'broken'; readonly run: string }
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'standing'; readonly run: RunState; readonly isBusy: boolean }
  | { readonly kind: 'begun'; readonly run: RunId };

/**
 * Null if a run can begin now. `thread`: where it was asked for, so that it may replace the proposal there. `closes`: the run
 * that ends with it.
 */
export function obstacleIn(
  { lab, store, config: { laneName } }: OpenLane,
  { thread = null, closes = null }: { readonly thread?: number | null; readonly closes?: string | null } = {},
): Obstacle | null {
  const record = store.current();
  const [broken] = record.broken;
  if (broken !== undefined) return { kind: 'broken', run: broken.run };
  const [hold] = holdsOn(record.journal.holds, { lane: laneName, date: dateOf(lab.now()) });
  if (hold !== undefined) return { kind: 'held', hold };
  const others = record.runs.filter(({ run }) => run !== closes);
  const standing = laneStanding(runsOfLane(others, laneName), thread);
  if (standing.kind === 'elsewhere' || standing.kind === 'busy')
    return { kind: 'standing', run: standing.run, isBusy: standing.kind === 'busy' };
  const begun = pendingProposal(record, laneName, lab.now());
  return begun === null ? null : { kind: 'begun', run: begun.run };
}

/** The answer to somebody whose request meets the obstacle. */
export function answerObstacle(obstacle: Obstacle): Decided {
  switch (obstacle.kind) {
    case 'broken':
      return answerTo('logbook-broken');
    case 'held': {
      const { hold } = obstacle;
      return answerTo('propose-held', { ...targetFacts(hold), by: hold.actor.login, reason: hold.reason });
    }
    case 'standing':
      return inTheWay(obstacle.run, obstacle.isBusy);
    case 'begun':
      return { kind: 'wait', why: `${obstacle.run} is being proposed` };
    default:
      return assertNever(obstacle);
  }
}

/** What follows for a request from what became of its run. */
export function requestOutcome(outcome: BeginOutcome | Nothing | Failed | Refused): RequestOutcome {
  switch (outcome.kind) {
    case 'proposed':
      return answerTo('proposed', { run: outcome.run, pull: outcome.pull, issue: outcome.issue });
    case 'already':
    case 'again':
      return { kind: 'again' };
    case 'refused':
      return cutAnswer(outcome.code, outcome.detail);
    case 'nothing':
      return outcome.code === 'too-many-today'
        ? answerTo('propose-not-today', { count: limits.proposalsPerDayMax })
        : answerTo('propose-nothing', { reason: outcome.code, why: outcome.why });
    case 'failed': {
      const { code, why } = outcome;
      if (code === 'not-written') return answerTo('failed', { why });
      return code === 'running' ? { kind: 'wait', why, isRunning: true } : { kind: 'wait', why };
    }
    default:
      return assertNever(outcome);
  }
}

/** Decides again on the newest record while another process is faster. Throws `GitError`. */
export async function decideAgain<Outcome extends { readonly kind: string }>(
  { git, store }: Pick<OpenLab, 'git' | 'store'>,
  decide: () => Promise<Outcome>,
): Promise<Exclude<Outcome, { readonly kind: 'again' }> | Extract<Decided, { readonly kind: 'wait' }>> {
  for (let round = 0; round < limits.requestRoundsMax; round += 1) {
    const outcome = await decide();
    if (outcome.kind !== 'again') return outcome as Exclude<Outcome, { readonly kind: 'again' }>;
    await git.fetch();
    await store.load();
  }
  return { kind: 'wait', why: 'other proposals kept being faster' };
}

/** The same for a request; it waits while git fails. */
export async function decideRequest<Outcome extends { readonly kind: string }>(
  open: OpenLab,
  decide: () => Promise<Outcome>,
): ReturnType<typeof decideAgain<Outcome>> {
  try {
    return await decideAgain(open, decide);
  } catch (error) {
    if (error instanceof GitError) return { kind: 'wait', why: error.message };
    throw error;
  }
}
