/** The lease of a watch: one owner at a time, recorded with each observation; a higher fence refuses a late writer. */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { Lease } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';

/** The lease under which `holder` may write its next observation, or null while another one holds it. */
export function leaseFor(state: RunState, holder: string, now: Instant, cadenceMs: number): Lease | null {
  const current = state.observation?.lease ?? null;
  const until = toRfc3339(after(now, cadenceMs + limits.leaseSlackMs));
  if (current === null) return { holder, fence: state.fence + 1, until };
  if (current.holder === holder) return { holder, fence: current.fence, until };
  // rule ML-09
  const isOver = now >= (fromRfc3339(current.until) ?? 0);
  return isOver ? { holder, fence: current.fence + 1, until } : null;
}

/** The same lease until a while after the next look. */
export function prolonged(lease: Lease, now: Instant, cadenceMs: number): Lease {
  return { ...lease, until: toRfc3339(after(now, cadenceMs + limits.leaseSlackMs)) };
}

/** The same lease given back now, so that the next shift need not wait for it to run out. */
export function released(lease: Lease, now: Instant): Lease {
  // rules AG-06, AG-07, AG-11, AG-27
  return { ...lease, until: toRfc3339(now) };
}

/** The newest observation once more under a lease that is given back; null: it is not this holder's. */
export function handedOver(state: RunState, holder: string, now: Instant): EventDraft | null {
  const last = state.observation;
  if (state.end !== null || last === null || last.lease.holder !== holder) return null;
  const { at: _at, seq: _seq, ...data } = last;
  return { type: 'observed', role: 'watch', data: { ...data, lease: released(last.lease, now) } };
}
