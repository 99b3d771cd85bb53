/** Whether a job that is started again would go on from what people rejected: in its output root it takes the newest checkpoint by itself. */

import type { PastAttempt, RejectedCheckpoint, RunState } from '../logbook/run-state.ts';

/** The rejection that stands against another attempt in this one's output root; null where none does. */
export function rejectionFor(
  { attempts, rejections }: RunState,
  last: PastAttempt,
): RejectedCheckpoint | null {
  const wroteBefore = (at: string): boolean =>
    [...attempts, last].some(
      ({ order }) =>
        (order.claim?.at ?? order.at) <= at && order.manifest?.outputRoot === last.order.manifest?.outputRoot,
    );
  return rejections.find(({ at }) => wroteBefore(at)) ?? null;
}
