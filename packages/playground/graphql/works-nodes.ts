/** GraphQL nodes of deployments, releases and milestones. */

import { listDeploymentsOf } from '../deployments/routes/deployments.ts';
import type { Deployment } from '../deployments/state-deployments.ts';
import { repoPage } from '../git/shape-repo.ts';
import { isAllowed } from '../identity/permissions.ts';
import { latestRelease } from '../releases/routes/releases.ts';
import { releasePage } from '../releases/shape-release.ts';
import type { Release } from '../releases/state-releases.ts';
import { listMilestonesOf } from '../threads/shape-milestone.ts';
import type { Milestone } from '../threads/state-threads.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import { actorNode } from './authored-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, requireAccess, threadRead } from './context.ts';
import { commitNode, refNode } from './git-nodes.ts';

type Order = { readonly direction: string; readonly field: string } | null;

/** The fields of a repository that lead to them. */
export function worksFields(context: Context, repo: Repo): object {
  return {
    milestone: ({ number }: { readonly number: number }) => {
      requireAccess(context, repo, threadRead, 'public');
      const row = listMilestonesOf(context.world, repo.id).find((one) => one.number === number);
      return row === undefined ? null : milestoneNode(context, repo, row);
    },
    milestones: (args: PageArgs & { readonly states?: readonly string[] | null; readonly orderBy?: Order }) => {
      requireAccess(context, repo, threadRead, 'public');
      const rows = listMilestonesOf(context.world, repo.id).filter(
        ({ state }) => args.states?.includes(state.toUpperCase()) ?? true,
      );
      return buildConnection(sortRows(rows, args.orderBy), args, (row) => milestoneNode(context, repo, row));
    },
    deployments: (args: PageArgs & { readonly environments?: readonly string[] | null; readonly orderBy?: Order }) => {
      requireAccess(context, repo, ['deployments:read'], 'public');
      const rows = listDeploymentsOf({ world: context.world, repo }).filter(
        ({ environment }) => args.environments?.includes(environment) ?? true,
      );
      return buildConnection(sortRows(rows, args.orderBy), args, (row) => deploymentNode(context, repo, row));
    },
    ...releaseFields(context, repo),
  };
}

function releaseFields(context: Context, repo: Repo): object {
  const visible = (): readonly Release[] => {
    requireAccess(context, repo, ['contents:read'], 'public');
    const seesDrafts = isAllowed(context.world, context.caller, repo, 'contents:write', 'write');
    return Object.values(context.world.state.releases).filter(
      (row) => row.repoId === repo.id && (seesDrafts || !row.draft),
    );
  };
  const one = (row: Release | null | undefined): object | null =>
    row === null || row === undefined ? null : releaseNode(context, repo, row);
  return {
    // Newest first by default.
    releases: (args: PageArgs & { readonly orderBy?: Order }) =>
      buildConnection(sortRows(visible(), args.orderBy ?? { direction: 'DESC', field: 'CREATED_AT' }), args, one),
    release: ({ tagName }: { readonly tagName: string }) => one(visible().find(({ tag }) => tag === tagName)),
    latestRelease: () => one(latestRelease(visible())),
  };
}

/** The rows are in order of creation. */
function sortRows<Row>(rows: readonly Row[], order: Order | undefined): readonly Row[] {
  return order?.direction === 'DESC' ? rows.toReversed() : rows;
}

export function milestoneNode({ world }: Context, repo: Repo, row: Milestone): object {
  return {
    __typename: 'Milestone',
    id: nodeId('MI', row.id),
    number: row.number,
    title: row.title,
    description: row.description,
    url: `${repoPage(world, repo)}/milestone/${row.number}`,
    state: row.state.toUpperCase(),
    creator: actorNode(world, row.creatorId),
    dueOn: toIsoOrNull(row.dueAtMs),
    createdAt: toIso(row.createdAtMs),
    updatedAt: toIso(row.updatedAtMs),
    closedAt: toIsoOrNull(row.closedAtMs),
  };
}

const stateOf = {
  error: 'ERROR',
  failure: 'FAILURE',
  inactive: 'INACTIVE',
  in_progress: 'IN_PROGRESS',
  queued: 'QUEUED',
  pending: 'PENDING',
  success: 'ACTIVE',
} as const;

export function deploymentNode({ world }: Context, repo: Repo, row: Deployment): object {
  const newest = row.statuses.at(-1)?.state;
  return {
    __typename: 'Deployment',
    id: nodeId('DE', row.id),
    databaseId: row.id,
    environment: row.environment,
    // Always a text: GitHub writes an object as JSON here.
    payload: JSON.stringify(row.payload),
    state: newest === undefined ? 'PENDING' : stateOf[newest],
    commit: () => commitNode(world, repo, row.sha),
    commitOid: row.sha,
    ref: () => (row.ref === row.sha ? null : refNode(world, repo, row.ref)),
    task: row.task,
    creator: actorNode(world, row.creatorId),
    description: row.description,
    createdAt: toIso(row.createdAtMs),
    updatedAt: toIso(row.updatedAtMs),
  };
}

function releaseNode({ world }: Context, repo: Repo, row: Release): object {
  const tag = () => refNode(world, repo, `refs/tags/${row.tag}`);
  const latest = latestRelease(Object.values(world.state.releases).filter(({ repoId }) => repoId === repo.id));
  return {
    __typename: 'Release',
    id: nodeId('RE', row.id),
    databaseId: row.id,
    name: row.name,
    tagName: row.tag,
    url: releasePage(world, repo, row),
    isDraft: row.draft,
    isPrerelease: row.prerelease,
    isLatest: latest?.id === row.id,
    description: row.body,
    tag,
    tagCommit: async () => {
      const ref = await tag();
      return ref === null ? null : commitNode(world, repo, ref.sha);
    },
    author: actorNode(world, row.authorId),
    createdAt: toIso(row.createdAtMs),
    updatedAt: toIso(row.updatedAtMs),
    publishedAt: toIsoOrNull(row.publishedAtMs),
  };
}
