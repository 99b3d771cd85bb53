/** Where a run stands, in the words that a person is shown. */

import { isFixGated } from '../launch/next-attempt.ts';
import { allPass } from '../launch/verdict.ts';
import { type Observation, type RunState, standingApprovals } from './run-state.ts';

/** The stages of the lifecycle that a person is shown (docs/architecture.md, What ferrybot is). */
export const PHASES = [
  'proposed',
  'gated',
  'approved',
  'ordered',
  'submitted',
  'stepping',
  'degraded',
  'ended',
  'sealed',
  'closed',
] as const;
export type Phase = (typeof PHASES)[number];

/** Where the run stands; with a fix of a failed attempt, where that stands. `degraded` = the newest observation could not be read, or shows a failure signature. */
export function phaseOf(state: RunState): Phase {
  if (state.seal !== null) return 'sealed';
  if (state.closed !== null) return 'closed';
  if (state.end !== null && !isFixGated(state)) return 'ended';
  if (state.submission !== null && state.end === null) return phaseOfJob(state.observation);
  if (state.order !== null && (state.order.status === 'open' || state.order.status === 'claimed'))
    return 'ordered';
  if (standingApprovals(state).length > 0) return 'approved';
  return state.gate !== null && allPass(state.gate.verdicts) ? 'gated' : 'proposed';
}

function phaseOfJob(observation: Observation | null): Phase {
  if (observation === null) return 'submitted';
  if (observation.status === 'UNKNOWN' || observation.signatures.length > 0) return 'degraded';
  return observation.step !== null && observation.step > 0 ? 'stepping' : 'submitted';
}
