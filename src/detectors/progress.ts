/** Detectors for the steps in the log and their speed. */

import { formatNumber } from '../domain/values.ts';
import {
  type AlarmFacts,
  cannotTell,
  type Evidence,
  type Finding,
  MINUTE_MS,
  QUIET,
  raise,
  type SeriesLaw,
} from './detector.ts';

export const STALLED_STEPS_LIMITS = {
  /** Two polls at the policy's 570 s: *multiple intervals*. A hero run's own watchdog waits 15 min. */
  quietMs: 19 * MINUTE_MS,
  /** An eval of many sets, or a checkpoint of terabytes. */
  busyMs: 60 * MINUTE_MS,
  /** Until two observations saw the step move, the trainer's reporting interval is unknown. */
  newMs: 60 * MINUTE_MS,
  /** A factor on the longest gap so far, and on the time of the smallest visible step. */
  times: 2,
} as const;

/** Alarms if steps stop while the job runs: longer than any earlier gap and than rounding (`83.3k` may last half an hour) explains. */
export function stalledSteps(evidence: Evidence): Finding {
  const { status, isLogRead, hasTrained, moved, at } = evidence;
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (!isLogRead) return cannotTell('log');
  if (!hasTrained || moved === null) return cannotTell('progress');
  const boundMs = maxStepMs(evidence);
  if (boundMs === null) return cannotTell('progress');
  const quietMs = at - moved.at;
  if (quietMs < boundMs) return QUIET;
  return raise(moved.at, {
    seen: evidence.step === null ? 'unknown' : String(evidence.step.value),
    minutes: Math.round(quietMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}

/** Null for a rounded bar without a rate: it may stay unchanged for any time. */
function maxStepMs({ step, secondsPerStep, moved, isBusy }: Evidence): number | null {
  const { quietMs, busyMs, newMs, times } = STALLED_STEPS_LIMITS;
  const rounding = step === null || step.exact ? 1 : roundingError(step.value);
  if (rounding > 1 && secondsPerStep === null) return null;
  const seenEveryMs = rounding * (secondsPerStep ?? 0) * 1_000;
  const known = moved === null || moved.observations < 2 ? newMs : times * moved.longestGapMs;
  return Math.max(quietMs, times * seenEveryMs, known, isBusy ? busyMs : 0);
}

/** The difference between two adjacent three-digit counts. */
export function roundingError(value: number): number {
  return 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
}

/** A quarter below the baseline (policy: 20 to 30 %) at three observations in a row, which ignores a dip for an eval or a checkpoint. */
export const SPEED_LAW: SeriesLaw = {
  // rule HR-40
  factor: 0.75,
  steps: 3,
  values: 3,
  minDistance: 0,
  noise: 0,
  // The first observation includes the compilation, and caches fill during the next one.
  warmUpValues: 3,
  warmUpSteps: 0,
};

/** A median leaves this many of its own noises only by accident, and three in a row hardly ever. */
export const SPEED_NOISES = 3;

/** Observations before an attempt is compared with earlier ones: by then at most half belong to the warm-up. */
const AGAIN_VALUES = 2 * SPEED_LAW.values;

/** The span of three observations at the usual interval: during a problem, a long eval can contain three. */
const SLOW_MS = 2 * 570_000;

/** A run that continues much slower than before. */
export function throughputCollapse({
  speed,
  speedNow,
  speedBefore,
  speedFloor,
  slowSince,
  steppingSince,
  at,
}: Evidence): Finding {
  const { trend, streak, values } = speed;
  if (trend === null || values <= SPEED_LAW.warmUpValues) return cannotTell('speed');
  const isSettled = values >= AGAIN_VALUES && steppingSince !== null && at - steppingSince >= 2 * SLOW_MS;
  if (speedBefore !== null && speedNow !== null && isSettled) {
    // A slow warm-up leaves a low trend behind.
    const pace = Math.max(trend, speedNow);
    if (pace < speedFloor * speedBefore) return raise('start', describeCollapse(pace, speedBefore, values));
  }
  if (streak === null || streak.values < SPEED_LAW.values) return QUIET;
  // rule VA-18
  if (slowSince === null || at - slowSince < SLOW_MS) return QUIET;
  return raise(values - streak.values, describeCollapse(streak.peak, trend, streak.values));
}

function describeCollapse(speed: number, baseline: number, looks: number): AlarmFacts {
  return { seen: `${Math.round((1 - speed / baseline) * 100)}`, bound: formatNumber(baseline), step: String(looks) };
}

const STALLED_LIMITS = {
  /** Twice the requested interval, or three times the longest one observed. */
  timesAsked: 2,
  timesSeen: 3,
  leastMs: 30 * MINUTE_MS,
  /** A checkpoint of terabytes takes twenty minutes to write. */
  writingMs: 60 * MINUTE_MS,
} as const;

/** Alarms if steps move without a completed checkpoint to resume from. The stores decide if they are asked, otherwise the log. */
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
    return checkpointAlarm(savingSince, at - savingSince, saved?.step ?? null, STALLED_LIMITS.writingMs);
  const since = saved?.at ?? steppingSince;
  const boundMs =
    saveEveryMs !== null
      ? Math.max(STALLED_LIMITS.leastMs, STALLED_LIMITS.timesAsked * saveEveryMs)
      : saved?.longestGapMs != null
        ? Math.max(STALLED_LIMITS.leastMs, STALLED_LIMITS.timesSeen * saved.longestGapMs)
        : null;
  if (boundMs === null) return cannotTell('checkpoints');
  // A run without steps has nothing new to save; other detectors report it.
  // rule HR-41
  const isQuiet = at - since < boundMs || moved.at < since;
  // The log's claim that a checkpoint is saved is no proof.
  if (isQuiet && isStoreRead === false) return cannotTell('store');
  return isQuiet ? QUIET : checkpointAlarm(since, at - since, saved?.step ?? null, boundMs);
}

function checkpointAlarm(since: number, forMs: number, step: number | null, boundMs: number) {
  return raise(since, {
    seen: step === null ? 'none' : String(step),
    minutes: Math.round(forMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}

/** Alarms if steps move and evaluations, which came before, do not come any more. */
export function evalsStalled({ status, isLogRead, at, evaluated, moved }: Evidence): Finding {
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (!isLogRead) return cannotTell('log');
  // One gap may be an accident of the start.
  if (evaluated === null || evaluated.observations < EVALS_MIN || moved === null) return cannotTell('evals');
  const { timesSeen, leastMs } = STALLED_LIMITS;
  const boundMs = Math.max(leastMs, timesSeen * evaluated.longestGapMs);
  const quietMs = at - evaluated.at;
  if (quietMs < boundMs || moved.at - evaluated.at < boundMs / 2) return QUIET;
  return raise(evaluated.at, {
    seen: String(evaluated.observations),
    minutes: Math.round(quietMs / MINUTE_MS),
    bound: String(Math.round(evaluated.longestGapMs / MINUTE_MS)),
  });
}

const EVALS_MIN = 3;

const MISSING_LIMITS = {
  /** The first answer may be too early: the store was still settling, or was replacing an old checkpoint. */
  answers: 2,
} as const;

/** A checkpoint that only the log reports as saved: less can be resumed than expected. Only stores can judge; a silent log claims none. */
export function checkpointMissing({ status, isStoreRead, unstored, at }: Evidence): Finding {
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (isStoreRead !== true) return cannotTell('store');
  if (unstored === null || unstored.answers < MISSING_LIMITS.answers) return QUIET;
  const { since, step, newest } = unstored;
  return raise(since, {
    seen: newest === null ? 'none' : String(newest),
    step: String(step),
    minutes: Math.round((at - since) / MINUTE_MS),
  });
}
