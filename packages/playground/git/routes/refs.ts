/** Routes of git references (docs.github.com/rest/git/refs): create, get, match, update, delete. */

import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, failed, noContent, notFound, ok, unprocessable } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import type { JsonObject } from '../../world/json.ts';
import { nodeId } from '../../world/node-id.ts';
import { type MoveOutcome, moveMessage, moveRef } from '../move-refs.ts';
import { typeOfObject } from '../resolve-commit.ts';
import { repoApi } from '../shape-repo.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');
const creation = z.object({ ref: z.string(), sha: z.string() });
const update = z.object({ sha: z.string(), force: z.boolean().optional() });

export const refRoutes: readonly Route[] = [
  reads('/git/ref/:ref*', read, getRef),
  reads('/git/matching-refs/:ref*', read, matching),
  writes('POST', '/git/refs', write, creation, createRef),
  writes('PATCH', '/git/refs/:ref*', write, update, updateRef),
  acts('DELETE', '/git/refs/:ref*', write, deleteRef),
];

async function getRef(call: RepoCall): Promise<Answer> {
  const ref = fullName(call);
  const sha = (await call.world.gitOf(call.repo).refs(ref)).get(ref);
  return sha === undefined ? notFound() : ok(await shapeRef(call, ref, sha));
}

async function matching(call: RepoCall): Promise<Answer> {
  const refs = [...(await call.world.gitOf(call.repo).refs(fullName(call)))];
  return paged(call, refs, ([ref, sha]) => shapeRef(call, ref, sha));
}

async function createRef(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  if (!body.ref.startsWith('refs/') || body.ref.split('/').length < 3) {
    return unprocessable(`${body.ref} is not a valid ref name.`);
  }
  const outcome = await moveRef(call, { ref: body.ref, sha: body.sha, expected: null });
  if (outcome === 'stale') return unprocessable('Reference already exists');
  if (outcome !== 'updated') return refused(outcome, body.ref);
  return created(await shapeRef(call, body.ref, body.sha));
}

async function updateRef(call: ActorCall, body: z.infer<typeof update>): Promise<Answer> {
  const ref = fullName(call);
  if (!(await call.world.gitOf(call.repo).refs(ref)).has(ref)) return unprocessable('Reference does not exist');
  const outcome = await moveRef(call, { ref, sha: body.sha, force: body.force ?? false });
  return outcome === 'updated' ? ok(await shapeRef(call, ref, body.sha)) : refused(outcome, ref);
}

async function deleteRef(call: ActorCall): Promise<Answer> {
  const ref = fullName(call);
  if (!(await call.world.gitOf(call.repo).refs(ref)).has(ref)) return unprocessable('Reference does not exist');
  const outcome = await moveRef(call, { ref, sha: null });
  return outcome === 'updated' ? noContent() : refused(outcome, ref);
}

/** The answer to a refused move. */
export function refused(outcome: Exclude<MoveOutcome, 'updated'>, ref: string): Answer {
  if (outcome === 'workflows-permission') return failed(403, moveMessage(outcome, ref));
  return unprocessable(moveMessage(outcome, ref));
}

function fullName(call: RepoCall): string {
  return `refs/${call.params['ref'] ?? ''}`;
}

async function shapeRef(call: RepoCall, ref: string, sha: string): Promise<JsonObject> {
  const api = repoApi(call.world, call.repo);
  const type = (await typeOfObject(call.world.gitOf(call.repo), sha)) ?? 'commit';
  return {
    ref,
    node_id: nodeId('REF', `${call.repo.id}:${ref}`),
    url: `${api}/git/${ref}`,
    object: { sha, type, url: `${api}/git/${type}s/${sha}` },
  };
}
