/** Routes of commit statuses (docs.github.com/rest/commits/statuses): set, list, combined. */

import * as z from 'zod';
import type { CommitStatus } from '../../actions/state-actions.ts';
import { answerPage } from '../../api/paging.ts';
import { type Answer, createdAnswer, notFoundAnswer, okAnswer, unprocessableAnswer } from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { shapeCommit } from '../../git/shape-commit.ts';
import { repoApi, shapeMinimalRepo } from '../../git/shape-repo.ts';
import { emitChange } from '../../world/emit.ts';
import type { JsonObject } from '../../world/json.ts';
import { requireRow } from '../../world/lookup.ts';
import { toIso } from '../../world/time.ts';
import { nextId } from '../../world/world.ts';
import { shapeSimpleStatus, shapeStatus } from '../shape-check.ts';

const read = repoAccess('statuses:read', 'public');
const write = repoAccess('statuses:write', 'write');
/** The maximum number of branches in one payload, as on GitHub. */
const branchesInPayload = 10;
const creation = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.string().nullish(),
  description: z.string().max(140).nullish(),
  context: z.string().default('default'),
});

export const statusRoutes: readonly Route[] = [
  writeRoute('POST', '/statuses/:sha', write, creation, createStatus),
  readRoute('/commits/:ref/statuses', read, async (call) => {
    const rows = await listStatusesAt(call);
    return rows === null
      ? notFoundAnswer()
      : answerPage(call, rows.rows.toReversed(), (row) => shapeStatus(call.world, row));
  }),
  readRoute('/commits/:ref/status', read, getCombinedStatus),
];

async function createStatus(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const sha = call.params['sha'] ?? '';
  if ((await call.world.gitOf(call.repo).readCommit(sha)) === null) {
    return unprocessableAnswer(`No commit found for SHA: ${sha}`);
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
    payload: await statusPayload(call, row),
  });
  return createdAnswer(shapeStatus(call.world, row));
}

/** The newest status of each context. Any failure gives failure, any pending gives pending, no status gives pending. */
async function getCombinedStatus(call: RepoCall): Promise<Answer> {
  const found = await listStatusesAt(call);
  if (found === null) return notFoundAnswer();
  const newest = new Map<string, CommitStatus>();
  for (const row of found.rows) newest.set(row.context, row);
  const rows = [...newest.values()];
  const red = rows.some((row) => row.state === 'failure' || row.state === 'error');
  const green = rows.length > 0 && rows.every((row) => row.state === 'success');
  return okAnswer({
    state: red ? 'failure' : green ? 'success' : 'pending',
    statuses: rows.map((row) => shapeSimpleStatus(call.world, row)),
    sha: found.sha,
    total_count: rows.length,
    repository: shapeMinimalRepo(call.world, call.repo),
    commit_url: `${repoApi(call.world, call.repo)}/commits/${found.sha}`,
    url: `${repoApi(call.world, call.repo)}/commits/${found.sha}/status`,
  });
}

async function listStatusesAt(
  call: RepoCall,
): Promise<{ readonly sha: string; readonly rows: readonly CommitStatus[] } | null> {
  const sha = await resolveCommit(call.world.gitOf(call.repo), call.repo, call.params['ref'] ?? '');
  if (sha === null) return null;
  const all = Object.values(call.world.state.statuses);
  return { sha, rows: all.filter((row) => row.repoId === call.repo.id && row.sha === sha) };
}

/** docs.github.com/webhooks: the `status` payload, with the commit and the branches that point to it. */
async function statusPayload(call: ActorCall, row: CommitStatus): Promise<JsonObject> {
  const store = call.world.gitOf(call.repo);
  const commit = requireRow(await store.readCommit(row.sha), `commit ${row.sha}`);
  const heads = [...(await store.refs('refs/heads/'))].filter(([, sha]) => sha === row.sha);
  return {
    id: row.id,
    sha: row.sha,
    name: `${call.repo.owner}/${call.repo.name}`,
    target_url: row.targetUrl,
    context: row.context,
    description: row.description,
    state: row.state,
    commit: shapeCommit(call.world, call.repo, commit),
    branches: heads
      .slice(0, branchesInPayload)
      .map(([ref]) => ({
        name: ref.slice('refs/heads/'.length),
        commit: { sha: row.sha, url: `${repoApi(call.world, call.repo)}/commits/${row.sha}` },
        protected: false,
      })),
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.createdAtMs),
  };
}
