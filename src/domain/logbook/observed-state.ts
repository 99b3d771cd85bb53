/** Folds observations. */

import type { EventOf } from './define.ts';
import { type RunState, TRACE_POINTS_MAX } from './run-state.ts';

/** The state after an observation. */
export function applyObserved(state: RunState, event: EventOf<'observed'>): RunState {
  const observation = { ...event.data, at: event.at, seq: event.seq };
  const isFirstEval = state.firstEval === null && Object.keys(event.data.evals).length > 0;
  return {
    ...state,
    observation,
    trace: addTracePoint(state.trace, event.data),
    losses: thinPoints([...state.losses, ...(event.data.losses ?? [])]),
    paces: addPacePoint(state.paces, event.data),
    fence: event.data.lease.fence,
    firstEval: isFirstEval ? observation : state.firstEval,
    firstTracker: state.firstTracker ?? (isNewTracker(state, event.data) ? observation : null),
  };
}

/** A resumed tracker run is reported only for its first attempt. */
function isNewTracker({ attempts }: RunState, { trackers }: EventOf<'observed'>['data']): boolean {
  const before = attempts.flatMap((past) => past.observation?.trackers ?? []).map(({ id }) => id);
  return trackers.some(({ id }) => !before.includes(id));
}

/** Ignores a repeated step; above the limit, every second point is dropped, never the newest. */
function addTracePoint(trace: RunState['trace'], { step, loss }: EventOf<'observed'>['data']): RunState['trace'] {
  if (step === null || loss === null || trace.at(-1)?.step === step) return trace;
  return thinPoints([...trace, { step, loss }]);
}

/** Ignores observations without a new step or checkpoint. */
function addPacePoint(
  paces: RunState['paces'],
  { step, pace, checkpointStep }: EventOf<'observed'>['data'],
): RunState['paces'] {
  const last = paces.at(-1);
  if (step === null || (last?.step === step && last.checkpointStep === checkpointStep)) return paces;
  const { tokensPerSecond = null, secondsPerStep = null } = pace ?? {};
  return thinPoints([...paces, { step, tokensPerSecond, secondsPerStep, checkpointStep }]);
}

function thinPoints<Point>(points: readonly Point[]): readonly Point[] {
  if (points.length <= TRACE_POINTS_MAX) return points;
  return points.filter((_, index) => (points.length - 1 - index) % 2 === 0);
}
