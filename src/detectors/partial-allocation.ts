/** A job that got some of its workers and not the others. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';
import { wholeOf } from './engine-facts.ts';

const MINUTE_MS = 60_000;
/** Workers of one slice come within minutes; as long as for a job in the queue. */
const limits = { waitMs: 30 * MINUTE_MS } as const;

export const partialAllocation: Detector = {
  id: 'partial-allocation',
  witness: ['engine'],
  limits,
  judge: ({ status, engine, pendingSince, runningSince, at }) => {
    if (status !== 'RUNNING' && status !== 'PENDING') return QUIET;
    const [asked, ready] = [wholeOf(engine['workersAsked']), wholeOf(engine['workersReady'])];
    if (asked === null || ready === null) return cannotTell('engine');
    const since = pendingSince ?? runningSince;
    if (ready >= asked || ready === 0 || since === null || at - since <= limits.waitMs) return QUIET;
    return alarm(since, {
      seen: String(ready),
      bound: String(asked),
      minutes: Math.round((at - since) / MINUTE_MS),
    });
  },
};
