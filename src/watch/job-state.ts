/** In which state a job is, by all that its witnesses have said: RUNNING alone never means that it makes steps. */

import { incidentsWith } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

export const JOB_STATES = [
  'submitted',
  'pending',
  'allocated',
  'compiling',
  'stepping',
  'degraded',
  'ended-succeeded',
  'ended-failed',
  'ended-stopped',
  'state-lost',
  'unknown',
] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * `allocated`: it runs and its log is empty; `compiling`: it says something and has made no step; `degraded`: it makes
 * none any more, is much slower than it was, or shows a failure; `unknown`: the newest look could not see it.
 */
export function jobStateOf(state: RunState): JobState {
  const { submission, observation, end } = state;
  if (end !== null) return ENDED[end.status];
  if (submission === null || observation === null) return 'submitted';
  const attempt = submission.attempt;
  const isOfThis = (one: { readonly detail: { readonly attempt?: number | undefined } }) =>
    (one.detail.attempt ?? 1) === attempt;
  if (observation.status === 'UNKNOWN')
    return incidentsWith(state.incidents, 'engine-state-lost').some(isOfThis) ? 'state-lost' : 'unknown';
  if (observation.status === 'PENDING') return 'pending';
  if (observation.signatures.length > 0 || isSlowOrStill(state)) return 'degraded';
  if (observation.step !== null || observation.loss !== null) return 'stepping';
  return observation.logOffset > 0 ? 'compiling' : 'allocated';
}

const ENDED = {
  SUCCEEDED: 'ended-succeeded',
  FAILED: 'ended-failed',
  STOPPED: 'ended-stopped',
} as const;

/** An alarm of that kind was raised, and nothing has moved or quickened since. */
function isSlowOrStill({ incidents, observation, submission }: RunState): boolean {
  const alarms = incidentsWith(incidents, 'run-alarm').filter(
    ({ detail }) => (detail.attempt ?? 1) === (submission?.attempt ?? 1),
  );
  const moved = fromRfc3339(observation?.course?.moved?.at ?? '') ?? 0;
  const isStill = alarms.some(
    ({ detail, at }) => detail.detector.startsWith('stalled-') && (fromRfc3339(at) ?? 0) > moved,
  );
  const isSlow =
    observation?.course?.speed?.streak !== undefined &&
    alarms.some(({ detail }) => detail.detector === 'throughput-collapse');
  return isStill || isSlow;
}
