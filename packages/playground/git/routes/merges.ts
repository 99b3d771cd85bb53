/** The route that merges one branch into another (docs.github.com/rest/branches: merge a branch). */

import * as z from 'zod';
import { type Answer, createdAnswer, failedAnswer, noContentAnswer, notFoundAnswer } from '../../api/reply.ts';
import { type ActorCall, type Route, repoAccess, writeRoute } from '../../api/route.ts';
import { writeMerge } from '../git-merge.ts';
import { moveMessage, moveRef } from '../move-refs.ts';
import { branchTip, resolveCommit } from '../resolve-commit.ts';
import { shapeCommit, userSignature, webFlowSignature } from '../shape-commit.ts';

const write = repoAccess('contents:write', 'write');
const merging = z.object({ base: z.string(), head: z.string(), commit_message: z.string().optional() });

export const mergeRoutes: readonly Route[] = [writeRoute('POST', '/merges', write, merging, merge)];

async function merge(call: ActorCall, body: z.infer<typeof merging>): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const [base, head] = [await branchTip(store, body.base), await resolveCommit(store, call.repo, body.head)];
  if (base === null) return failedAnswer(404, 'Base does not exist');
  if (head === null) return failedAnswer(404, 'Head does not exist');
  if (await store.isAncestor(head, base)) return noContentAnswer();
  const now = call.world.clock.now();
  const sha = await writeMerge(store, {
    method: 'merge',
    base,
    head,
    message: body.commit_message ?? `Merge ${body.head} into ${body.base}`,
    author: userSignature(call.actor, now),
    committer: webFlowSignature(now),
  });
  if (sha === null) return failedAnswer(409, 'Merge conflict');
  const ref = `refs/heads/${body.base}`;
  const moved = await moveRef(call, { ref, sha, expected: base });
  if (moved !== 'updated') return failedAnswer(409, moveMessage(moved, ref));
  const commit = await store.readCommit(sha);
  return commit === null ? notFoundAnswer() : createdAnswer(shapeCommit(call.world, call.repo, commit));
}
