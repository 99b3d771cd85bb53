/** What was to be sent to a channel and of which nobody says what became: whoever was to send it has died. */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { isOver, type RunState, undelivered } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** It may have arrived, so it is told as unknown and not sent again. */
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
