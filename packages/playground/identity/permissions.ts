/** Decides what a caller may read and change: roles of people, permissions of Apps and workflows. */

import { assertNever } from '../world/assert.ts';
import { coversRepo } from '../world/lookup.ts';
import type { BranchProtection, Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { AccessLevel, Caller, Permissions, Role } from './state-people.ts';

/** A permission such as `issues:write`. */
export type PermissionNeed = `${string}:${AccessLevel}`;

/**
 * Who may use a repository's route: Apps and workflows need one of the permissions, people at least the role. `anyone`
 * = every signed-in account that can see the repository; `public` = guests too.
 */
export type RepoAccess = {
  readonly permissions: readonly PermissionNeed[];
  readonly role: Role | 'anyone' | 'public';
  /** GitHub's message on this route for a caller whose role is not enough, if it differs from the usual one. */
  readonly refusal?: string;
};

export type Verdict = 'allowed' | 'hidden' | 'missing-permission' | 'missing-role' | 'sign-in';

const roleRank: Readonly<Record<Role, number>> = { admin: 5, maintain: 4, write: 3, triage: 2, read: 1 };
const levelRank: Readonly<Record<AccessLevel, number>> = { admin: 3, write: 2, read: 1 };

/** The role of an account in the repository. The owner is admin; null for an account without a role. */
export function userRole(repo: Repo, userId: number): Role | null {
  if (repo.ownerId === userId) return 'admin';
  return repo.collaborators[userId] ?? null;
}

export function roleAtLeast(role: Role | null, wanted: Role): boolean {
  return role !== null && roleRank[role] >= roleRank[wanted];
}

/** The four values of the collaborator-permission endpoint; an account without a role can read what is public. */
export function coarsePermission(repo: Repo, role: Role | null): 'admin' | 'write' | 'read' | 'none' {
  switch (role) {
    case 'admin':
      return 'admin';
    case 'maintain':
    case 'write':
      return 'write';
    case 'triage':
    case 'read':
      return 'read';
    case null:
      return repo.private ? 'none' : 'read';
    default:
      return assertNever(role);
  }
}

export function hasPermissionNeed(permissions: Permissions, need: PermissionNeed): boolean {
  const cut = need.indexOf(':');
  const name = need.slice(0, cut);
  const held = name === 'metadata' ? (permissions['metadata'] ?? 'read') : permissions[name];
  const wanted = need.slice(cut + 1);
  if (held === undefined || (wanted !== 'read' && wanted !== 'write' && wanted !== 'admin')) return false;
  return levelRank[held] >= levelRank[wanted];
}

/** Whether a token covers the repository at all (its installation's or its workflow's repositories). */
export function canReachRepo(world: World, caller: Caller, repo: Repo): boolean {
  switch (caller.kind) {
    case 'anonymous':
    case 'app':
      return false;
    case 'user':
      return userRole(repo, caller.userId) !== null;
    case 'workflow':
      return caller.repoId === repo.id;
    case 'installation': {
      const row = world.state.installations[caller.installationId];
      if (row === undefined || !coversRepo(row, repo)) return false;
      return caller.repoIds === null || caller.repoIds.includes(repo.id);
    }
    default:
      return assertNever(caller);
  }
}

export function judgeAccess(world: World, caller: Caller, repo: Repo, access: RepoAccess): Verdict {
  const inside = canReachRepo(world, caller, repo);
  if (repo.private && !inside) return 'hidden';
  switch (caller.kind) {
    case 'anonymous':
      return access.role === 'public' ? 'allowed' : 'sign-in';
    case 'app':
      return 'missing-permission';
    case 'user':
      if (access.role === 'public' || access.role === 'anyone') return 'allowed';
      return roleAtLeast(userRole(repo, caller.userId), access.role) ? 'allowed' : 'missing-role';
    case 'installation':
    case 'workflow':
      if (!inside) return access.role === 'public' ? 'allowed' : 'missing-permission';
      return access.permissions.some((need) => hasPermissionNeed(caller.permissions, need))
        ? 'allowed'
        : 'missing-permission';
    default:
      return assertNever(caller);
  }
}

/** Whether a caller has the role (people) or the permission (Apps, workflows). */
export function isAllowed(world: World, caller: Caller, repo: Repo, need: PermissionNeed, role: Role): boolean {
  return judgeAccess(world, caller, repo, { permissions: [need], role }) === 'allowed';
}

/** Apps need the permission `workflows` for files in .github/workflows/; a workflow's own token never has it. */
export function canChangeWorkflows(caller: Caller): boolean {
  if (caller.kind === 'workflow') return false;
  return caller.kind !== 'installation' || hasPermissionNeed(caller.permissions, 'workflows:write');
}

/** The protection that prevents this account from pushing to the branch, or null. It applies to admins, too. */
export function findRefusingProtection(repo: Repo, branch: string, userId: number | null): BranchProtection | null {
  const rule = repo.protections.find((one) => one.branch === branch);
  if (rule === undefined || rule.pushUserIds === null) return null;
  return userId !== null && rule.pushUserIds.includes(userId) ? null : rule;
}
