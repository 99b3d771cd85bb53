/** A store of checkpoints that has what it had at that moment of a trace. */

import type { Instant } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, unknown } from '../../domain/observed.ts';
import { isStoreDue } from '../../watch/store-seen.ts';
import type { AskedStore } from '../watch/look.ts';
import type { TraceRecord } from './trace.ts';

/** Null where the trace says nothing of it by `now`, or it is too early to ask again. */
export function recordedStore(
  records: readonly TraceRecord[],
  state: RunState,
  now: Instant,
): AskedStore | null {
  const said = records.findLast((one) => 'store' in one && one.at <= now);
  if (said === undefined || !('store' in said) || !isStoreDue(state, now)) return null;
  const { at, store } = said;
  if (store === 'unreadable') return async () => unknown('the store cannot be read');
  const { newest, partial } = store;
  const whole = newest === null ? null : { step: newest.step, writtenAt: newest.writtenAt ?? at };
  return async () => known({ newest: whole, partial });
}
