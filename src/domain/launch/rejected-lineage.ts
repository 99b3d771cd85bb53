/** Rejected checkpoints and relaunches. */

import type { PastAttempt, RejectedCheckpoint, RunState } from '../logbook/run-state.ts';
import { takesCheckpoint } from './contract.ts';

/**
 * The rejected checkpoint that a restarted job could load by itself from its output root; null if there is none or the command names its
 * checkpoint.
 */
export function rejectionFor(
  { attempts, rejections }: RunState,
  last: PastAttempt,
): RejectedCheckpoint | null {
  if (last.order.manifest !== null && takesCheckpoint(last.order.manifest)) return null;
  const wroteBefore = (at: string): boolean =>
    [...attempts, last].some(
      ({ order }) =>
        (order.claim?.at ?? order.at) <= at && order.manifest?.outputRoot === last.order.manifest?.outputRoot,
    );
  return rejections.find(({ at }) => wroteBefore(at)) ?? null;
}
