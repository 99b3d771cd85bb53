/** Routes of git references (docs.github.com/rest/git/refs): create, get, match, update, delete. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
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
  readRoute('/git/ref/:ref*', read, getRef),
  readRoute('/git/matching-refs/:ref*', read, listMatchingRefs),
  writeRoute('POST', '/git/refs', write, creation, createRef),
  writeRoute('PATCH', '/git/refs/:ref*', write, update, updateRef),
  actRoute('DELETE', '/git/refs/:ref*', write, deleteRef),
];

async function getRef(call: RepoCall): Promise<Answer> {
  const ref = fullName(call);
  const sha = (await call.world.gitOf(call.repo).refs(ref)).get(ref);
  return sha === undefined ? notFoundAnswer() : okAnswer(await shapeRef(call, ref, sha));
}

async function listMatchingRefs(call: RepoCall): Promise<Answer> {
  const refs = [...(await call.world.gitOf(call.repo).refs(fullName(call)))];
  return answerPage(call, refs, ([ref, sha]) => shapeRef(call, ref, sha));
}

async function createRef(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  if (!body.ref.startsWith('refs/') || body.ref.split('/').length < 3) {
    return unprocessableAnswer(`${body.ref} is not a valid ref name.`);
  }
  const outcome = await moveRef(call, { ref: body.ref, sha: body.sha, expected: null });
  if (outcome === 'stale') return unprocessableAnswer('Reference already exists');
  if (outcome !== 'updated') return refuseMove(outcome, body.ref);
  return createdAnswer(await shapeRef(call, body.ref, body.sha));
}

async function updateRef(call: ActorCall, body: z.infer<typeof update>): Promise<Answer> {
  const ref = fullName(call);
  if (!(await call.world.gitOf(call.repo).refs(ref)).has(ref)) return unprocessableAnswer('Reference does not exist');
  const outcome = await moveRef(call, { ref, sha: body.sha, force: body.force ?? false });
  return outcome === 'updated' ? okAnswer(await shapeRef(call, ref, body.sha)) : refuseMove(outcome, ref);
}

async function deleteRef(call: ActorCall): Promise<Answer> {
  const ref = fullName(call);
  if (!(await call.world.gitOf(call.repo).refs(ref)).has(ref)) return unprocessableAnswer('Reference does not exist');
  const outcome = await moveRef(call, { ref, sha: null });
  return outcome === 'updated' ? noContentAnswer() : refuseMove(outcome, ref);
}

/** The answer to a refused move. */
export function refuseMove(outcome: Exclude<MoveOutcome, 'updated'>, ref: string): Answer {
  if (outcome === 'workflows-permission') return failedAnswer(403, moveMessage(outcome, ref));
  return unprocessableAnswer(moveMessage(outcome, ref));
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
