/**
 * The people that a visitor of the page can act as, with tokens. This is safe only because the playground is a toy on
 * the loopback.
 */

import { userRole } from '../identity/permissions.ts';
import type { Role } from '../identity/state-people.ts';
import type { Json } from '../world/json.ts';
import type { World } from '../world/world.ts';

/** People in the order in which they joined; `role` in everyday words, `role_name` in GitHub's. */
export function listPeople(world: World): Json {
  const repo = Object.values(world.state.repos)[0];
  const rows: Json[] = [];
  for (const [token, row] of Object.entries(world.state.tokens)) {
    const user = row.kind === 'user' ? world.state.users[row.userId] : undefined;
    if (user === undefined) continue;
    const role = repo === undefined ? null : userRole(repo, user.id);
    rows.push({ login: user.login, name: user.name, role: roleText(role), role_name: role, token });
  }
  return rows;
}

function roleText(role: Role | null): string {
  switch (role) {
    case 'admin':
    case 'maintain':
      return 'maintainer';
    case 'write':
      return 'author';
    case 'triage':
    case 'read':
      return 'reader';
    case null:
      return 'stranger';
  }
}
