/** Routes of requested reviewers (docs.github.com/rest/pulls/review-requests), and of updating a branch. */

import * as z from 'zod';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type ActorCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { writeMerge } from '../../git/git-merge.ts';
import { moveMessage, moveRef } from '../../git/move-refs.ts';
import { userSignature, webFlowSignature } from '../../git/shape-commit.ts';
import { repoApi } from '../../git/shape-repo.ts';
import { isAllowed, userRole } from '../../identity/permissions.ts';
import { shapeUser } from '../../identity/shape-people.ts';
import type { User } from '../../identity/state-people.ts';
import { emitIssue, putIssue } from '../../threads/threads.ts';
import { findUser, type PullIssue, repoById, userById } from '../../world/lookup.ts';
import { rereadPull } from '../open-pull.ts';
import { shapePull } from '../shape-pull.ts';
import { findPullOfCall } from './pulls.ts';

const read = repoAccess('pull_requests:read', 'public');
const ask = repoAccess('pull_requests:write', 'write');
const update = repoAccess('pull_requests:write', 'anyone');
const names = z.object({ reviewers: z.array(z.string()).default([]), team_reviewers: z.array(z.string()).default([]) });

export const reviewerRoutes: readonly Route[] = [
  readRoute('/pulls/:number/requested_reviewers', read, (call) => {
    const issue = findPullOfCall(call);
    if (issue === null) return notFoundAnswer();
    const users = issue.pull.requestedReviewerIds.map((id) => shapeUser(call.world, userById(call.world, id)));
    return okAnswer({ users, teams: [] });
  }),
  writeRoute('POST', '/pulls/:number/requested_reviewers', ask, names, (call, body) =>
    changeReviewers(call, body, true),
  ),
  writeRoute('DELETE', '/pulls/:number/requested_reviewers', ask, names, (call, body) =>
    changeReviewers(call, body, false),
  ),
  writeRoute(
    'PUT',
    '/pulls/:number/update-branch',
    update,
    z.object({ expected_head_sha: z.string().nullish() }),
    updateBranch,
  ),
];

async function changeReviewers(call: ActorCall, body: z.infer<typeof names>, isRequest: boolean): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (body.team_reviewers.length > 0) return failedAnswer(501, 'THE PLAYGROUND HAS NO TEAMS to ask for a review');
  const people = body.reviewers.map((login) => findUser(call.world, login));
  const known = people.filter((one): one is User => one !== null && userRole(call.repo, one.id) !== null);
  if (known.length < people.length)
    return unprocessableAnswer(
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.',
    );
  if (isRequest && known.some(({ id }) => id === issue.authorId))
    return unprocessableAnswer('Review cannot be requested from pull request author.');
  for (const user of known) await changeReviewer(call, rereadPull(call, issue), user, isRequest);
  const shaped = shapePull(call.world, rereadPull(call, issue));
  return isRequest ? createdAnswer(shaped) : okAnswer(shaped);
}

async function changeReviewer(call: ActorCall, issue: PullIssue, user: User, isRequest: boolean): Promise<void> {
  const before = issue.pull.requestedReviewerIds;
  if (before.includes(user.id) === isRequest) return;
  const requestedReviewerIds = isRequest ? [...before, user.id] : before.filter((id) => id !== user.id);
  const now = call.world.clock.now();
  const changed = putIssue(call.world, { ...issue, pull: { ...issue.pull, requestedReviewerIds }, updatedAtMs: now });
  await emitIssue(call, changed, isRequest ? 'review_requested' : 'review_request_removed', {
    requested_reviewer: shapeUser(call.world, user),
  });
}

/** Merges the base branch into the head's (docs.github.com/rest/pulls: update a pull request branch). */
async function updateBranch(
  call: ActorCall,
  body: { readonly expected_head_sha?: string | null | undefined },
): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  const { pull } = issue;
  const headRepo = repoById(call.world, pull.headRepoId);
  if (!isAllowed(call.world, call.caller, headRepo, 'contents:write', 'write'))
    return failedAnswer(403, 'Must have push access to the head repository.');
  if ((body.expected_head_sha ?? pull.headSha) !== pull.headSha)
    return unprocessableAnswer("expected_head_sha didn't match current head ref.");
  const store = call.world.gitOf(headRepo);
  if (await store.isAncestor(pull.baseSha, pull.headSha))
    return unprocessableAnswer('There are no new commits on the base branch.');
  const now = call.world.clock.now();
  const sha = await writeMerge(store, {
    method: 'merge',
    base: pull.headSha,
    head: pull.baseSha,
    message: `Merge branch '${pull.baseRef}' into ${pull.headRef}`,
    author: userSignature(call.actor, now),
    committer: webFlowSignature(now),
  });
  if (sha === null) return unprocessableAnswer('merge conflict between base and head');
  const ref = `refs/heads/${pull.headRef}`;
  const moved = await moveRef({ ...call, repo: headRepo }, { ref, sha, expected: pull.headSha }, 'merge');
  if (moved !== 'updated') return unprocessableAnswer(moveMessage(moved, ref));
  const url = `${repoApi(call.world, call.repo)}/pulls/${issue.number}`;
  return { status: 202, body: { message: 'Updating pull request branch.', url }, headers: {} };
}
