/** How many people a launch needs: the quorum, or more where the run is dear (issue *the gate*, Approval and trust). */

import type { LabConfig } from '../config/schema.ts';
import { compareDecimals } from '../domain/decimal.ts';

/** `acceleratorHours`: decimal text, what the run costs by the cost table. Of the rows that it reaches the dearest counts. */
export function peopleNeeded(
  approvals: Pick<LabConfig['approvals'], 'quorum' | 'quorumByCost'>,
  acceleratorHours: string,
): number {
  const reached = approvals.quorumByCost.filter(
    ({ fromAcceleratorHours }) => compareDecimals(acceleratorHours, fromAcceleratorHours) >= 0,
  );
  return Math.max(approvals.quorum, ...reached.map(({ people }) => people));
}
