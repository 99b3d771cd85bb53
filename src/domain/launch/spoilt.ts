/** Whether an attempt was seen to train wrongly, whatever ended it: the same again would go on from what it left behind (policy HR, What can go wrong). */

import { incidentsWith } from '../incidents.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';

/** The loss, or what it is made of, is no number: as a failure signature. */
export const LOSS_NOT_FINITE = 'loss-not-finite';

/** `loss-lost`: its loss was no number any more; `other-steps`: it made other steps than the attempt that it goes on from. */
export type Spoilt = 'loss-lost' | 'other-steps';

/** What was seen of it; null where nothing was. */
export function spoiltBy(
  { incidents }: Pick<RunState, 'incidents'>,
  { submission, end }: Pick<PastAttempt, 'submission' | 'end'>,
): Spoilt | null {
  if (end.signatures.includes(LOSS_NOT_FINITE)) return 'loss-lost';
  const isOther = incidentsWith(incidents, 'run-alarm').some(
    ({ detail }) => detail.detector === 'resume-mismatch' && (detail.attempt ?? 1) === submission.attempt,
  );
  return isOther ? 'other-steps' : null;
}
