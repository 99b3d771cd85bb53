/** How old an approval is where something is started on it. */

import type { Digest, Instant } from '../ids.ts';
import type { RunState } from '../logbook/run-state.ts';
import { fromRfc3339 } from '../time.ts';
import { asLaunched, pastAttempt } from './next-attempt.ts';
import { approvedIn } from './order.ts';
import { replacementFor } from './relaunch.ts';
import { askedFor } from './response.ts';

/**
 * Whether an approval of this manifest, written then, has grown too old. It has to be young enough now, or, once the runner has
 * claimed an order on it that was not refused, at the first such claim: a job that is started again after a failure, or after
 * its runner died, rests on the same approval and the restarts that it allows, however long the first attempt ran. Claims are
 * signed by the runner: whoever can write orders cannot keep an old approval young.
 */
export function isTooOld(
  state: RunState,
  { digest, createdAt }: { readonly digest: Digest; readonly createdAt: Instant },
  now: Instant,
  maxAgeMs: number,
): boolean {
  const { attempts, order } = state;
  const claimed = [...attempts.map((past) => past.order), ...(order === null ? [] : [order])]
    .filter((one) => one.order.digest === digest && one.status !== 'failed')
    .flatMap(({ claim }) => fromRfc3339(claim?.at ?? '') ?? [])
    .find((at) => at >= createdAt);
  const at = isLongUnanswered(state, digest, now, maxAgeMs) ? now : claimed;
  return (at ?? now) >= createdAt + maxAgeMs;
}

/** Whoever approved restarts did not mean one of next week: after so long somebody has to say it. */
function isLongUnanswered(state: RunState, digest: Digest, now: Instant, maxAgeMs: number): boolean {
  const before = asLaunched(state);
  const last = pastAttempt(before);
  if (last === null || approvedIn(last.order.order) !== digest) return false;
  if (askedFor(before) !== null || replacementFor(before) !== null) return false;
  return now >= (fromRfc3339(last.end.at) ?? 0) + maxAgeMs;
}
