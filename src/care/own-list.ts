/** Whose consent counts for a list of checkpoints, beyond that of other changes: one rule for the answer and the runner. */

import type { Permission } from '../domain/actor.ts';
import { type MutationRecord, proposalShownAt } from '../domain/care/mutation-state.ts';
import type { Instant } from '../domain/ids.ts';

/** Who may approve in this lab, and for how long what was shown to them counts. */
export type Approvers = {
  readonly permission: Permission;
  readonly users: readonly number[];
  readonly onePersonIsEnough: boolean;
  readonly maxAgeMs: number;
};

/** `own`: by who asked for the list; `old`: the list has stood longer than an approval would. Null for every other change. */
export function ownListFault(
  one: MutationRecord,
  user: number,
  now: Instant,
  { onePersonIsEnough, maxAgeMs }: Pick<Approvers, 'onePersonIsEnough' | 'maxAgeMs'>,
): 'own' | 'old' | null {
  const { mutation } = one.proposal;
  if (mutation.kind !== 'delete-checkpoint') return null;
  if (mutation.askedBy.id === user && !onePersonIsEnough) return 'own';
  return isOldList(one, now, maxAgeMs) ? 'old' : null;
}

/** Whether a list has stood longer than an approval would. */
export function isOldList(one: MutationRecord, now: Instant, maxAgeMs: number): boolean {
  const shownAt = proposalShownAt(one);
  return shownAt === null || now >= shownAt + maxAgeMs;
}
