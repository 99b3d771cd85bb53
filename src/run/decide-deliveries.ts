/** Deliveries whose sender died. */

import type { Instant } from '../domain/ids.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { isOver, type RunState, undelivered } from '../domain/logbook/run-state.ts';
import { isOpenToAll } from './outbox.ts';

/** Records a delivery as unknown if its sender died. The message may have arrived, so it is not sent again. */
export function lostDeliveries(state: RunState, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return undelivered(state)
    .filter(({ at }) => isOpenToAll(at, now))
    .map(({ seq, channel }) => ({
      type: 'delivered',
      role: 'control',
      data: {
        notice: seq,
        channel,
        outcome: 'unknown',
        why: 'whoever was to send it did not say what came of it',
      },
    }));
}
