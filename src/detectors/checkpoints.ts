/** Detectors that ask for the checkpoints: the log, which calls them saved, and the store, which has them. */

import { alarm, cannotTell, type Evidence, type Finding, MINUTE_MS, QUIET } from './detector.ts';

const STALLED_LIMITS = {
  /** Twice the interval that was asked for, or thrice the longest that was seen. */
  timesAsked: 2,
  timesSeen: 3,
  leastMs: 30 * MINUTE_MS,
  /** A checkpoint of terabytes takes twenty minutes to write. */
  writingMs: 60 * MINUTE_MS,
} as const;

/** Steps that move while no checkpoint is completed: soon there is nothing to go back to. What is complete the store says where it is asked, and elsewhere the log. */
export function checkpointStalled({
  status,
  isLogRead,
  at,
  saved,
  saveEveryMs,
  savingSince,
  steppingSince,
  moved,
  isStoreRead,
}: Evidence): Finding {
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (!isLogRead) return cannotTell('log');
  if (steppingSince === null || moved === null) return cannotTell('progress');
  if (savingSince !== null && at - savingSince >= STALLED_LIMITS.writingMs)
    return stalledAt(savingSince, at - savingSince, saved?.step ?? null, STALLED_LIMITS.writingMs);
  const since = saved?.at ?? steppingSince;
  const boundMs =
    saveEveryMs !== null
      ? Math.max(STALLED_LIMITS.leastMs, STALLED_LIMITS.timesAsked * saveEveryMs)
      : saved?.longestGapMs != null
        ? Math.max(STALLED_LIMITS.leastMs, STALLED_LIMITS.timesSeen * saved.longestGapMs)
        : null;
  if (boundMs === null) return cannotTell('checkpoints');
  // A run that does not move has nothing new to save: others tell of that.
  // rule HR-41
  const isQuiet = at - since < boundMs || moved.at < since;
  // A log that calls them saved does not say that they are there.
  if (isQuiet && isStoreRead === false) return cannotTell('store');
  return isQuiet ? QUIET : stalledAt(since, at - since, saved?.step ?? null, boundMs);
}

function stalledAt(since: number, forMs: number, step: number | null, boundMs: number) {
  return alarm(since, {
    seen: step === null ? 'none' : String(step),
    minutes: Math.round(forMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}

const MISSING_LIMITS = {
  /** The first may have been asked while the store was still settling, or while an old one made room for a new one. */
  answers: 2,
} as const;

/** A checkpoint that the log calls saved and the store does not have: there is less to go back to than people think. The store alone can tell: a log that says nothing of checkpoints calls none saved. */
export function checkpointMissing({ status, isStoreRead, unstored, at }: Evidence): Finding {
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (isStoreRead !== true) return cannotTell('store');
  if (unstored === null || unstored.answers < MISSING_LIMITS.answers) return QUIET;
  const { since, step, newest } = unstored;
  return alarm(since, {
    seen: newest === null ? 'none' : String(newest),
    step: String(step),
    minutes: Math.round((at - since) / MINUTE_MS),
  });
}
