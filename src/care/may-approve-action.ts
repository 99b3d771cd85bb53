/** Who may approve which action: one rule for the answer and the runner. */

import { mayApprove } from '../config/approvers.ts';
import type { ActionRecord } from '../domain/actions/action-state.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';

/** The config's rules on approvals. */
export type ActionApprovers = {
  /** Least permission for a change of a cluster. */
  readonly care: Permission;
  /** Who may approve a launch, and with it the deletion of checkpoints. */
  readonly permission: Permission;
  readonly users: readonly number[];
  readonly onePersonIsEnough: boolean;
};

/** `not-permitted`: the permission does not suffice; `own`: this person asked for the list. Null where neither is so. */
export function approverFault(
  { proposal: { change } }: Pick<ActionRecord, 'proposal'>,
  { id }: Pick<Actor, 'id'>,
  held: Permission,
  approvers: ActionApprovers,
): 'not-permitted' | 'own' | null {
  if (change.kind !== 'delete-checkpoint') return permits(held, approvers.care) ? null : 'not-permitted';
  if (!mayApprove(held, id, approvers)) return 'not-permitted';
  return change.askedBy.id === id && !approvers.onePersonIsEnough ? 'own' : null;
}
