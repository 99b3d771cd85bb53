/** Whether an attempt was seen to train wrongly, whatever ended it: the same again would go on from what it left behind (policy HR, What can go wrong). */

import type { DetectorId } from '../detector-ids.ts';
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

/** Numbers that have left what training makes of them: whatever ended the job afterwards, no machine did that (policy HR-44). */
const UNSTABLE: readonly DetectorId[] = ['gradient-norm', 'router-collapse', 'z-loss'];

/** What was seen of that in the attempt, and nobody has taken since; null where nothing was. */
export function unstableBy(
  { incidents, taken }: Pick<RunState, 'incidents' | 'taken'>,
  { submission }: Pick<PastAttempt, 'submission'>,
): string | null {
  const found = incidentsWith(incidents, 'run-alarm').find(
    ({ seq, detail }) =>
      UNSTABLE.some((id) => id === detail.detector) &&
      (detail.attempt ?? 1) === submission.attempt &&
      seq > (taken?.seq ?? -1),
  );
  return found?.detail.detector ?? null;
}
