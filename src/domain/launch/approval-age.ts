/** Expiry of approvals. */

import type { Digest, Instant } from '../ids.ts';
import { ordersOf, type RunState } from '../logbook/run-state.ts';
import { fromRfc3339 } from '../time.ts';
import { asLaunched, pastAttempt } from './next-attempt.ts';
import { approvedIn } from './order.ts';
import { replacementFor } from './relaunch.ts';
import { askedFor } from './response.ts';

/**
 * Whether an approval of this manifest is too old. It must be young enough now or, once the runner has claimed an order that uses it, at
 * the first such claim: restarts use the same approval however long the attempts run. Only the runner can sign claims, so forged orders
 * cannot keep an old approval valid.
 */
export function isTooOld(
  state: RunState,
  { digest, createdAt }: { readonly digest: Digest; readonly createdAt: Instant },
  now: Instant,
  maxAgeMs: number,
): boolean {
  const claimed = ordersOf(state)
    .filter((one) => one.order.digest === digest && one.status !== 'failed')
    .flatMap(({ claim }) => fromRfc3339(claim?.at ?? '') ?? [])
    .find((at) => at >= createdAt);
  const at = isLongUnanswered(state, digest, now, maxAgeMs) ? now : claimed;
  return (at ?? now) >= createdAt + maxAgeMs;
}

/** An approval of restarts does not cover a failure that stayed unanswered for the maximum age. */
function isLongUnanswered(state: RunState, digest: Digest, now: Instant, maxAgeMs: number): boolean {
  const before = asLaunched(state);
  const last = pastAttempt(before);
  if (last === null || approvedIn(last.order.order) !== digest) return false;
  if (askedFor(before) !== null || replacementFor(before) !== null) return false;
  return now >= (fromRfc3339(last.end.at) ?? 0) + maxAgeMs;
}
