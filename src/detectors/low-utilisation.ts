/** Accelerators that idle while the job should train: how busy they are, together with whether its steps move. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

export const LOW_USE_LIMITS = {
  /** Training keeps them at eighty or more; a fifth is a job that waits for something. */
  percent: 20,
  /** One look may be an eval or a checkpoint. */
  looks: 3,
  /** As long as three looks of the usual cadence: while something is wrong they come so often that three say nothing. */
  lowMs: 2 * 570_000,
  /** Where no step has moved either, both say the same: that needs no third look. */
  stillLooks: 2,
  stillMs: 240_000,
} as const;

export const lowUtilisation: Detector = {
  id: 'low-utilisation',
  witness: ['measures'],
  limits: LOW_USE_LIMITS,
  judge: ({ use, hasTrained, moved, isBusy, at }) => {
    // Where nobody measures, the steps alone are the witness, of another detector.
    if (use === null) return cannotTell('measures');
    // What is compiled or loaded first needs no accelerator.
    if (!hasTrained || use.lowSince === null) return QUIET;
    const isStill = !isBusy && moved !== null && moved.at <= use.lowSince;
    const { looks, lowMs, stillLooks, stillMs } = LOW_USE_LIMITS;
    if (use.lowLooks < (isStill ? stillLooks : looks)) return QUIET;
    if (at - use.lowSince < (isStill ? stillMs : lowMs)) return QUIET;
    return alarm('low', {
      seen: String(Math.round(use.percent)),
      bound: String(LOW_USE_LIMITS.percent),
      step: String(use.lowLooks),
      ...(isStill ? { minutes: Math.round((at - moved.at) / 60_000) } : {}),
    });
  },
};
