/** When approvals of a manifest stopped to count, as the record has it: what was given before says nothing afterwards. */

import type { Digest, Instant } from '../ids.ts';
import { incidentsWith } from '../incidents.ts';
import { asLaunched, pastAttempt } from '../launch/next-attempt.ts';
import { restartsLeft } from '../launch/relaunch.ts';
import { fromRfc3339 } from '../time.ts';
import type { RunState } from './run-state.ts';

/** `user` null: everybody's. `isSaid`: by somebody's words, which the threads have as well. */
export type FallenApproval = { readonly user: number | null; readonly at: Instant; readonly isSaid: boolean };

/** Dropped with a reason, refused by the runner with their order, or of before an end beyond which they start nothing again. */
export function fallenApprovals(state: RunState, digest: Digest): readonly FallenApproval[] {
  const dropped = state.drops
    .filter(({ data }) => data.digest === digest)
    .flatMap(({ at, data: { users, reason } }) =>
      users.map((user) => ({ user, at, isSaid: reason === 'revoked' || reason === 'held' })),
    );
  const refused = incidentsWith(state.incidents, 'runner-refused').map(({ at }) => ({
    user: null,
    at,
    isSaid: false,
  }));
  const before = asLaunched(state);
  const last = pastAttempt(before);
  const isSpent = last !== null && last.order.order.digest === digest && restartsLeft(before) <= 0;
  const ended = isSpent ? [{ user: null, at: last.end.at, isSaid: false }] : [];
  return [...dropped, ...refused, ...ended].flatMap(({ user, at: time, isSaid }) => {
    const at = fromRfc3339(time);
    return at === null ? [] : [{ user, at, isSaid }];
  });
}
