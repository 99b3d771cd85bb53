/** A job that runs and never makes its first step. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

const MINUTE_MS = 60_000;
/** A ferry that was healthy stepped after 168 minutes; a cold hero compiles for thirty and restores for five. */
const limits = { graceMs: 180 * MINUTE_MS } as const;

export const stalledStart: Detector = {
  id: 'stalled-start',
  witness: ['engine', 'log'],
  limits,
  judge: ({ status, isLogRead, hasTrained, runningSince, at }) => {
    if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
    if (hasTrained) return QUIET;
    if (!isLogRead) return cannotTell('log');
    if (runningSince === null) return cannotTell('engine');
    const waited = at - runningSince;
    if (waited < limits.graceMs) return QUIET;
    return alarm(runningSince, { seen: 'none', minutes: Math.round(waited / MINUTE_MS) });
  },
};
