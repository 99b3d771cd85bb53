/** Where a run stands, in the words that a person is shown. */

import { assertNever } from '../assert.ts';
import { isFixGated } from '../launch/next-attempt.ts';
import { allPass } from '../launch/verdict.ts';
import { jobStateOf } from './job-state.ts';
import { type RunState, standingApprovals } from './run-state.ts';

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

/** Where the run stands; with a fix of a failed attempt, where that stands. `degraded` = its job is, or nobody sees it. */
export function phaseOf(state: RunState): Phase {
  if (state.seal !== null) return 'sealed';
  if (state.closed !== null) return 'closed';
  if (state.end !== null && !isFixGated(state)) return 'ended';
  if (state.submission !== null && state.end === null) return phaseOfJob(state);
  if (state.order !== null && (state.order.status === 'open' || state.order.status === 'claimed'))
    return 'ordered';
  if (standingApprovals(state).length > 0) return 'approved';
  return state.gate !== null && allPass(state.gate.verdicts) ? 'gated' : 'proposed';
}

/** What a person has to know at once: a card that moved with every small step of a start would be one more edit each. */
function phaseOfJob(state: RunState): Phase {
  const job = jobStateOf(state);
  switch (job) {
    case 'submitted':
    case 'pending':
    case 'allocated':
    case 'compiling':
      return 'submitted';
    case 'stepping':
      return 'stepping';
    case 'degraded':
    case 'unknown':
    case 'state-lost':
      return 'degraded';
    case 'ended-succeeded':
    case 'ended-failed':
    case 'ended-stopped':
      return 'ended';
    default:
      return assertNever(job);
  }
}
