/** Routes of commit statuses (docs.github.com/rest/commits/statuses): set, list, combined. */

import * as z from 'zod';
import { emitChange } from '../emit.ts';
import { paged } from '../paging.ts';
import { type Answer, created, notFound, ok, unprocessable } from '../reply.ts';
import { resolveCommit } from '../resolve-commit.ts';
import { type ActorCall, type RepoCall, type Route, reads, repoAccess, writes } from '../route.ts';
import { shapeStatus } from '../shapes/shape-check.ts';
import { repoApi, shapeRepo } from '../shapes/shape-repo.ts';
import type { CommitStatus } from '../state-actions.ts';
import { nextId } from '../world.ts';

const read = repoAccess('statuses:read', 'public');
const write = repoAccess('statuses:write', 'write');
const creation = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.string().nullish(),
  description: z.string().max(140).nullish(),
  context: z.string().default('default'),
});

export const statusRoutes: readonly Route[] = [
  writes('POST', '/statuses/:sha', write, creation, createStatus),
  reads('/commits/:ref/statuses', read, async (call) => {
    const rows = await statusesAt(call);
    return rows === null
      ? notFound()
      : paged(call, rows.rows.toReversed(), (row) => shapeStatus(call.world, row));
  }),
  reads('/commits/:ref/status', read, combined),
];

async function createStatus(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const sha = call.params['sha'] ?? '';
  if ((await call.world.gitOf(call.repo).readCommit(sha)) === null) {
    return unprocessable(`No commit found for SHA: ${sha}`);
  }
  const row: CommitStatus = {
    id: nextId(call.world, 'statuses'),
    repoId: call.repo.id,
    sha,
    state: body.state,
    context: body.context,
    description: body.description ?? null,
    targetUrl: body.target_url ?? null,
    creatorId: call.actor.id,
    createdAtMs: call.world.clock.now(),
  };
  call.world.state.statuses[row.id] = row;
  await emitChange(call.world, {
    type: 'status',
    action: null,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    payload: { id: row.id, sha, state: row.state, context: row.context, description: row.description },
  });
  return created(shapeStatus(call.world, row));
}

/** The newest status of each context; red wins over yellow, yellow over green, none at all is yellow. */
async function combined(call: RepoCall): Promise<Answer> {
  const found = await statusesAt(call);
  if (found === null) return notFound();
  const newest = new Map<string, CommitStatus>();
  for (const row of found.rows) newest.set(row.context, row);
  const rows = [...newest.values()];
  const red = rows.some((row) => row.state === 'failure' || row.state === 'error');
  const green = rows.length > 0 && rows.every((row) => row.state === 'success');
  return ok({
    state: red ? 'failure' : green ? 'success' : 'pending',
    statuses: rows.map((row) => shapeStatus(call.world, row)),
    sha: found.sha,
    total_count: rows.length,
    repository: shapeRepo(call.world, call.repo),
    commit_url: `${repoApi(call.world, call.repo)}/commits/${found.sha}`,
    url: `${repoApi(call.world, call.repo)}/commits/${found.sha}/status`,
  });
}

async function statusesAt(
  call: RepoCall,
): Promise<{ readonly sha: string; readonly rows: readonly CommitStatus[] } | null> {
  const sha = await resolveCommit(call.world.gitOf(call.repo), call.repo, call.params['ref'] ?? '');
  if (sha === null) return null;
  const all = Object.values(call.world.state.statuses);
  return { sha, rows: all.filter((row) => row.repoId === call.repo.id && row.sha === sha) };
}
