/** Detectors that ask the steps in the log, and how fast they come. */

import {
  type AlarmFacts,
  alarm,
  cannotTell,
  type Evidence,
  type Finding,
  MINUTE_MS,
  QUIET,
  type SeriesLaw,
  told,
} from './detector.ts';

export const STALLED_STEPS_LIMITS = {
  /** Two looks of the policy's 570 s: *multiple intervals*; a hero's own watchdog waits for 15 min. */
  quietMs: 19 * MINUTE_MS,
  /** An eval of many sets, or a checkpoint of terabytes. */
  busyMs: 60 * MINUTE_MS,
  /** Until two looks have seen it move nobody knows how often its trainer says anything. */
  newMs: 60 * MINUTE_MS,
  /** How many times as long as it ever took, or as a step that can be seen takes. */
  times: 2,
} as const;

/** Steps that come no more while the job is said to run. Nothing has moved for longer than it ever took, and for longer than the bar's rounding explains: `83.3k` may stand for half an hour. */
export function stalledSteps(evidence: Evidence): Finding {
  const { status, isLogRead, hasTrained, moved, at } = evidence;
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (!isLogRead) return cannotTell('log');
  if (!hasTrained || moved === null) return cannotTell('progress');
  const boundMs = boundOf(evidence);
  if (boundMs === null) return cannotTell('progress');
  const quietMs = at - moved.at;
  if (quietMs < boundMs) return QUIET;
  return alarm(moved.at, {
    seen: evidence.step === null ? 'unknown' : String(evidence.step.value),
    minutes: Math.round(quietMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}

/** Null where a rounded bar without a rate may stand for any time. */
function boundOf({ step, secondsPerStep, moved, isBusy }: Evidence): number | null {
  const { quietMs, busyMs, newMs, times } = STALLED_STEPS_LIMITS;
  const rounding = step === null || step.exact ? 1 : roundingOf(step.value);
  if (rounding > 1 && secondsPerStep === null) return null;
  const seenEveryMs = rounding * (secondsPerStep ?? 0) * 1_000;
  const known = moved === null || moved.looks < 2 ? newMs : times * moved.longestGapMs;
  return Math.max(quietMs, times * seenEveryMs, known, isBusy ? busyMs : 0);
}

/** Steps between two counts of three digits. */
export function roundingOf(value: number): number {
  return 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
}

/** A quarter below the baseline (the policy's 20 to 30 %), at three looks in a row: a dip for an eval or a checkpoint is none. */
export const SPEED_LAW: SeriesLaw = {
  // rule HR-40
  factor: 0.75,
  steps: 3,
  values: 3,
  distance: 0,
  noise: 0,
  // The first look has the compilation in it, and the caches fill at the next.
  warmUpValues: 3,
  warmUpSteps: 0,
};

/** Looks of an attempt whose pace is held against the attempt before: by then those of its warm-up are the fewer. */
const AGAIN_VALUES = 2 * SPEED_LAW.values;

/** As long as three looks of the usual cadence: while something is wrong they come so often that a long eval has three. */
const SLOW_MS = 2 * 570_000;

/** A run that goes on, and much slower than it did. */
export function throughputCollapse({
  speed,
  speedNow,
  speedBefore,
  slowSince,
  steppingSince,
  at,
}: Evidence): Finding {
  const { trend, streak, values } = speed;
  if (trend === null || values <= SPEED_LAW.warmUpValues) return cannotTell('speed');
  const isSettled = values >= AGAIN_VALUES && steppingSince !== null && at - steppingSince >= 2 * SLOW_MS;
  if (speedBefore !== null && speedNow !== null && isSettled) {
    // What warms up slowly leaves a low trend behind.
    const pace = Math.max(trend, speedNow);
    if (pace < SPEED_LAW.factor * speedBefore) return alarm('start', collapsed(pace, speedBefore, values));
  }
  if (streak === null || streak.values < SPEED_LAW.values) return QUIET;
  // rule VA-18
  if (slowSince === null || at - slowSince < SLOW_MS) return QUIET;
  return alarm(values - streak.values, collapsed(streak.peak, trend, streak.values));
}

function collapsed(speed: number, baseline: number, looks: number): AlarmFacts {
  return {
    seen: `${Math.round((1 - speed / baseline) * 100)}`,
    bound: told(baseline),
    step: String(looks),
  };
}

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
