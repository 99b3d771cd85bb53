/** Who may approve a launch: one rule for the answer, the gates and the runner. */

import { type Permission, permits } from '../domain/actor.ts';

/** Whether a person may approve: by permission, or by the config's list of ids together with the right to write. */
export function mayApprove(
  permission: Permission,
  user: number,
  { permission: least, users }: { readonly permission: Permission; readonly users: readonly number[] },
): boolean {
  return permits(permission, least) || (permits(permission, 'write') && users.includes(user));
}
