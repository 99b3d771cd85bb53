/** A job that waits in the queue. */

import { alarm, type Detector, QUIET } from './detector.ts';

const MINUTE_MS = 60_000;
/** The hero policy's half hour. */
const limits = { waitMs: 30 * MINUTE_MS } as const;

export const pendingLong: Detector = {
  id: 'pending-long',
  witness: ['engine'],
  limits,
  judge: ({ status, pendingSince, at }) => {
    // rule HR-42
    if (status !== 'PENDING' || pendingSince === null) return QUIET;
    const waited = at - pendingSince;
    return waited <= limits.waitMs
      ? QUIET
      : alarm(pendingSince, { seen: 'PENDING', minutes: Math.round(waited / MINUTE_MS) });
  },
};
