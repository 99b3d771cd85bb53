/** Deliveries whose sender died. */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { isOver, type RunState, undelivered } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** Records a delivery as unknown if its sender died. The message may have arrived, so it is not sent again. */
export function lostDeliveries(state: RunState, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return undelivered(state)
    .filter(({ at }) => now - (fromRfc3339(at) ?? now) >= limits.publishGraceMs)
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
