/** Whether a job that is started again would go on from what people rejected: in its output root it takes the newest checkpoint by itself. */

import type { PastAttempt, RejectedCheckpoint, RunState } from '../logbook/run-state.ts';
import { takesCheckpoint } from './contract.ts';

/** The rejection that stands against another attempt in this one's output root; null where none does, and where the job is told what it goes on from. */
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
