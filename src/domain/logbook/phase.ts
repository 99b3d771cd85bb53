/** A run's stage for display. */

import { assertNever } from '../assert.ts';
import { isFixGated } from '../launch/next-attempt.ts';
import { allPass } from '../launch/verdict.ts';
import { jobStateOf } from './job-state.ts';
import { type RunState, standingApprovals } from './run-state.ts';

/** Lifecycle stages as shown to people (docs/architecture.md, What ferrybot is). */
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

/** The run's stage, or that of a fix after a failed attempt. `degraded` includes a job that cannot be observed. */
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

/** Coarser than the job state, because each change edits the card. */
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
