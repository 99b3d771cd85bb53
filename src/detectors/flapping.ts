/** A job that dies and is started again, over and over. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';
import type { PastEnd } from './evidence.ts';

const limits = {
  /** One crash may be a preemption; two at one place are no accident, and three in a row anywhere are a fault. */
  atOnePlace: 2,
  inARow: 3,
  /** Steps within which two ends are at one place. */
  window: 10,
} as const;

export const flapping: Detector = {
  id: 'flapping',
  witness: ['attempts'],
  limits,
  judge: ({ past }) => {
    if (past.length === 0) return cannotTell('attempts');
    const row = past.slice(past.findLastIndex(({ status }) => status !== 'FAILED') + 1);
    const last = row.at(-1);
    if (last === undefined) return QUIET;
    const alike = row.filter((one) => isAtOnePlace(one, last));
    if (alike.length < limits.atOnePlace && row.length < limits.inARow) return QUIET;
    return alarm(past.length, { seen: String(row.length), step: String(last.lastStep ?? 'unknown') });
  },
};

function isAtOnePlace(one: PastEnd, other: PastEnd): boolean {
  if (one.lastStep === null || other.lastStep === null) return false;
  return Math.abs(one.lastStep - other.lastStep) <= limits.window;
}
