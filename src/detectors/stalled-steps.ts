/** Steps that come no more while the job is said to run. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';
import type { Evidence } from './evidence.ts';

const MINUTE_MS = 60_000;
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

/** Nothing has moved for longer than it ever took, and for longer than the bar's rounding explains: `83.3k` may stand for half an hour. */
export const stalledSteps: Detector = {
  id: 'stalled-steps',
  witness: ['engine', 'log', 'progress'],
  limits: STALLED_STEPS_LIMITS,
  judge: (evidence) => {
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
  },
};

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
