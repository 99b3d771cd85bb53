/** Accelerators that idle while the job is said to run. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

export const LOW_USE_LIMITS = {
  /** Training keeps them at eighty or more; a fifth is a job that waits for something. */
  percent: 20,
  /** One look may be an eval or a checkpoint. */
  looks: 3,
  /** As long as three looks of the usual cadence: while something is wrong they come so often that three say nothing. */
  lowMs: 2 * 570_000,
} as const;

export const lowUtilisation: Detector = {
  id: 'low-utilisation',
  witness: ['measures'],
  limits: LOW_USE_LIMITS,
  judge: ({ use, hasTrained, at }) => {
    if (use === null) return cannotTell('measures');
    // What is compiled or loaded first needs no accelerator.
    if (!hasTrained || use.lowLooks < LOW_USE_LIMITS.looks) return QUIET;
    if (use.lowSince === null || at - use.lowSince < LOW_USE_LIMITS.lowMs) return QUIET;
    return alarm('low', {
      seen: String(Math.round(use.percent)),
      bound: String(LOW_USE_LIMITS.percent),
      step: String(use.lowLooks),
    });
  },
};
