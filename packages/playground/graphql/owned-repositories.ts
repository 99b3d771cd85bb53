/** The repositories of an account that the caller can see. */

import { judgeAccess } from '../identity/permissions.ts';
import type { Repo } from '../world/state.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import type { Context } from './context.ts';

export type OwnedArgs = PageArgs & {
  readonly affiliations?: readonly (string | null)[] | null;
  readonly ownerAffiliations?: readonly (string | null)[] | null;
  readonly isArchived?: boolean | null;
  readonly isFork?: boolean | null;
  readonly isLocked?: boolean | null;
  readonly hasIssuesEnabled?: boolean | null;
  readonly privacy?: string | null;
  readonly visibility?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
};

/** Repositories that it owns and, if requested, those that it collaborates on; `totalDiskUsage` is in kilobytes. */
export function ownedRepositories(context: Context, userId: number, args: OwnedArgs): object {
  const { world, caller } = context;
  const ties = args.affiliations ?? args.ownerAffiliations ?? [];
  const rows = Object.values(world.state.repos).filter((repo) => {
    const isTied =
      (ties.includes('OWNER') && repo.ownerId === userId) ||
      (ties.includes('COLLABORATOR') && repo.ownerId !== userId && userId in repo.collaborators);
    return (
      isTied &&
      judgeAccess(world, caller, repo, { permissions: ['metadata:read'], role: 'public' }) === 'allowed' &&
      isRequested(repo, args)
    );
  });
  const found = buildConnection(sortRepositories(rows, args.orderBy ?? null), args, (repo) =>
    context.repositoryNode(repo),
  );
  return Object.defineProperty(found, 'totalDiskUsage', { value: 0, enumerable: true });
}

/** No repository is archived or locked here, and issues are always enabled. */
function isRequested(repo: Repo, args: OwnedArgs): boolean {
  const privacy = repo.private ? 'PRIVATE' : 'PUBLIC';
  const pairs = [
    [args.isArchived, false],
    [args.isLocked, false],
    [args.hasIssuesEnabled, true],
    [args.isFork, repo.forkOfId !== undefined],
    [args.privacy, privacy],
    [args.visibility, privacy],
  ] as const;
  return pairs.every(([wanted, own]) => wanted === null || wanted === undefined || wanted === own);
}

function sortRepositories(rows: readonly Repo[], order: OwnedArgs['orderBy']): readonly Repo[] {
  if (order === null || order === undefined) return rows;
  const sorted = rows.toSorted((a, b) => {
    switch (order.field) {
      case 'NAME':
        return a.name.localeCompare(b.name);
      case 'PUSHED_AT':
      case 'UPDATED_AT':
        return a.pushedAtMs - b.pushedAtMs;
      case 'CREATED_AT':
        return a.createdAtMs - b.createdAtMs;
      // There are no stars.
      default:
        return 0;
    }
  });
  return order.direction === 'DESC' ? sorted.toReversed() : sorted;
}
