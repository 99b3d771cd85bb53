/**
 * Whether an attempt trained incorrectly, whatever ended it: a relaunch would resume from its checkpoints (policy HR, What can go wrong).
 */

import type { DetectorId } from '../detector-ids.ts';
import { incidentsWith } from '../incidents.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';

/** Failure signature: the loss or one of its inputs is not a finite number. */
export const LOSS_NOT_FINITE = 'loss-not-finite';

/** `loss-lost`: the loss became non-finite. `other-steps`: the attempt diverged from the one it resumed. */
export type Spoilt = 'loss-lost' | 'other-steps';

/** The recorded evidence, or null. */
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

/** Detectors of numerical instability, which no machine fault explains (policy HR-44). */
const UNSTABLE: readonly DetectorId[] = ['gradient-norm', 'router-collapse', 'z-loss'];

/** The first such alarm of the attempt that nobody has acknowledged since, or null. */
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
