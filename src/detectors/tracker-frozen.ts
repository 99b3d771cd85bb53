/** A run that makes steps of which nothing arrives at its tracker any more. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';
import { roundingOf } from './stalled-steps.ts';

const MINUTE_MS = 60_000;

export const TRACKER_FROZEN_LIMITS = {
  /** Its public view lags by minutes, and a trainer may report only with its evals. */
  silentMs: 60 * MINUTE_MS,
} as const;

/**
 * Only where the log is beyond the newest step that the tracker has: after a rollback W&B takes no row until its old counter
 * is passed, with a fresh heartbeat. What the tracker calls the run says nothing: it calls runs crashed that go on.
 */
export const trackerFrozen: Detector = {
  id: 'tracker-frozen',
  witness: ['tracker', 'progress'],
  limits: TRACKER_FROZEN_LIMITS,
  judge: ({ tracker, step, moved, status, isLogRead }) => {
    const said = tracker?.said ?? null;
    if (said === null || said.step === null || said.rowAt === null) return cannotTell('tracker');
    if (status !== 'RUNNING' || !isLogRead || step === null || moved === null) return cannotTell('progress');
    const atLeast = step.exact ? step.value : step.value - roundingOf(step.value);
    if (atLeast <= said.step) return QUIET;
    const heardAt = Math.max(said.rowAt, said.heartbeatAt ?? 0);
    if (moved.at - heardAt < TRACKER_FROZEN_LIMITS.silentMs) return QUIET;
    return alarm(said.step, {
      seen: String(said.step),
      step: String(step.value),
      minutes: Math.round((moved.at - heardAt) / MINUTE_MS),
    });
  },
};
