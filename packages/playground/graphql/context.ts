/** The caller of the GraphQL API, and the caller's permissions. */

import { judgeAccess, type PermissionNeed } from '../identity/permissions.ts';
import type { Caller, Role, User } from '../identity/state-people.ts';
import type { Act } from '../threads/threads.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { graphqlFault } from './fault.ts';

export type Viewer = { readonly world: World; readonly caller: Caller; readonly actor: User };

export type Context = Viewer & {
  /**
   * Builds a repository's node. It is in the context because threads refer to their repository and repositories to
   * their threads.
   */
  readonly repositoryNode: (repo: Repo) => object;
};

/** Throws GitHub's refusal unless the caller has one of the permissions (Apps, workflows) or the role (people). */
export function requireAccess(
  context: Context,
  repo: Repo,
  permissions: readonly PermissionNeed[],
  role: Role | 'anyone' | 'public',
): void {
  const verdict = judgeAccess(context.world, context.caller, repo, { permissions, role });
  if (verdict === 'allowed') return;
  if (verdict === 'hidden') throw notResolvedError(repo);
  const app = context.caller.kind !== 'user';
  throw graphqlFault(
    'FORBIDDEN',
    app ? 'Resource not accessible by integration' : 'You do not have permission to do this.',
  );
}

export function createAct(context: Context, repo: Repo): Act {
  const { world, caller, actor } = context;
  return { world, caller, actor, repo };
}

export function notResolvedError(repo: { readonly owner: string; readonly name: string }): Error {
  return graphqlFault('NOT_FOUND', `Could not resolve to a Repository with the name '${repo.owner}/${repo.name}'.`);
}

/** `connect` reads these from the arguments of a field. */
export const threadRead: readonly PermissionNeed[] = ['issues:read', 'pull_requests:read'];
export const threadWrite: readonly PermissionNeed[] = ['issues:write', 'pull_requests:write'];
