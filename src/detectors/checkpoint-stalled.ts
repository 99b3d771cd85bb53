/** Steps that move while no checkpoint is completed: soon there is nothing to go back to. What is complete the store says where it is asked, and elsewhere the log. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

const MINUTE_MS = 60_000;
const limits = {
  /** Twice the interval that was asked for, or thrice the longest that was seen. */
  timesAsked: 2,
  timesSeen: 3,
  leastMs: 30 * MINUTE_MS,
  /** A checkpoint of terabytes takes twenty minutes to write. */
  writingMs: 60 * MINUTE_MS,
} as const;

export const checkpointStalled: Detector = {
  id: 'checkpoint-stalled',
  witness: ['checkpoints', 'progress'],
  limits,
  judge: ({ status, isLogRead, at, saved, saveEveryMs, savingSince, steppingSince, moved, isStoreRead }) => {
    if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
    if (!isLogRead) return cannotTell('log');
    if (steppingSince === null || moved === null) return cannotTell('progress');
    if (savingSince !== null && at - savingSince >= limits.writingMs)
      return told(savingSince, at - savingSince, saved?.step ?? null, limits.writingMs);
    const since = saved?.at ?? steppingSince;
    const boundMs =
      saveEveryMs !== null
        ? Math.max(limits.leastMs, limits.timesAsked * saveEveryMs)
        : saved?.longestGapMs != null
          ? Math.max(limits.leastMs, limits.timesSeen * saved.longestGapMs)
          : null;
    if (boundMs === null) return cannotTell('checkpoints');
    // A run that does not move has nothing new to save: others tell of that.
    // rule HR-41
    const isQuiet = at - since < boundMs || moved.at < since;
    // A log that calls them saved does not say that they are there.
    if (isQuiet && isStoreRead === false) return cannotTell('store');
    return isQuiet ? QUIET : told(since, at - since, saved?.step ?? null, boundMs);
  },
};

function told(since: number, forMs: number, step: number | null, boundMs: number) {
  return alarm(since, {
    seen: step === null ? 'none' : String(step),
    minutes: Math.round(forMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}
