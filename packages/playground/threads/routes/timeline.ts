/** Routes of a thread's history (docs.github.com/rest/issues/timeline and /events). */

import { answerPage } from '../../api/paging.ts';
import { type Answer, notFoundAnswer } from '../../api/reply.ts';
import { type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { shapeGitCommit } from '../../git/shape-commit.ts';
import { repoApi } from '../../git/shape-repo.ts';
import { shapeAppById, shapeUserById } from '../../identity/shape-people.ts';
import { readPullCommits } from '../../pulls/pull-content.ts';
import { shapeReview } from '../../pulls/shape-pull.ts';
import type { JsonObject } from '../../world/json.ts';
import { asPull, listComments, listReviewsOf } from '../../world/lookup.ts';
import { nodeId } from '../../world/node-id.ts';
import { toIso } from '../../world/time.ts';
import { shapeComment } from '../shape-issue.ts';
import type { Issue, LabelEvent, ThreadEvent } from '../state-threads.ts';
import { refuseThreadAccess } from '../thread-access.ts';
import { listThreadEvents } from '../thread-events.ts';
import { findIssueOfCall } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
/** By GitHub's description, only the timeline contains these, not the list of events. */
const timelineOnly: readonly string[] = ['closed', 'reopened', 'merged', 'unlocked', 'pinned', 'unpinned'];

export const timelineRoutes: readonly Route[] = [
  readRoute('/issues/:number/timeline', read, (call) => answerList(call, readTimeline)),
  readRoute('/issues/:number/events', read, (call) =>
    answerList(call, async (_call, issue) => listEvents(call, issue, false)),
  ),
];

type Row = { readonly atMs: number; readonly shape: JsonObject };

async function answerList(
  call: RepoCall,
  rowsOf: (call: RepoCall, issue: Issue) => Promise<readonly Row[]>,
): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  const refusal = refuseThreadAccess(call, issue, 'read');
  if (refusal !== null) return refusal;
  const rows = (await rowsOf(call, issue)).toSorted((a, b) => a.atMs - b.atMs);
  return answerPage(call, rows, ({ shape }) => shape);
}

async function readTimeline(call: RepoCall, issue: Issue): Promise<readonly Row[]> {
  const { world, repo } = call;
  const pull = asPull(issue);
  const commits = pull === null ? [] : await readPullCommits(world, pull);
  const reviews = pull === null ? [] : listReviewsOf(world, pull);
  return [
    ...commits.map((one) => ({
      atMs: one.committer.atMs,
      shape: { event: 'committed', ...shapeGitCommit(world, repo, one) },
    })),
    ...listComments(world, issue).map((one) => ({
      atMs: one.createdAtMs,
      shape: { event: 'commented', ...shapeComment(world, one), actor: shapeUserById(world, one.authorId) },
    })),
    ...reviews.flatMap((one) =>
      one.submittedAtMs === null
        ? []
        : [
            {
              atMs: one.submittedAtMs,
              shape: { event: 'reviewed', ...shapeReview(world, one), state: one.state.toLowerCase() },
            },
          ],
    ),
    ...listEvents(call, issue, true),
  ];
}

function listEvents(call: RepoCall, issue: Issue, isTimeline: boolean): readonly Row[] {
  const labels = (issue.labelEvents ?? []).map((one) => ({ atMs: one.atMs, shape: shapeLabelEvent(call, one) }));
  const others = listThreadEvents(call, issue)
    .filter(({ event }) => isTimeline || !timelineOnly.includes(event))
    .map((one) => ({ atMs: one.atMs, shape: shapeEvent(call, one, issue, isTimeline) }));
  return [...labels, ...others];
}

function shapeLabelEvent(call: RepoCall, one: LabelEvent): JsonObject {
  const prefix = one.event === 'labeled' ? 'LE' : 'UNLE';
  const base = { ...one, commitSha: null, viaAppId: null };
  return { ...commonFields(call, base), node_id: nodeId(prefix, one.id), label: { ...one.label } };
}

function shapeEvent(call: RepoCall, one: ThreadEvent, issue: Issue, isTimeline: boolean): JsonObject {
  const subject = shapeUserById(call.world, one.subjectId);
  const base = commonFields(call, one);
  switch (one.event) {
    case 'assigned':
    case 'unassigned':
      return {
        ...base,
        assignee: subject,
        ...(isTimeline ? {} : { assigner: shapeUserById(call.world, one.actorId) }),
      };
    case 'milestoned':
    case 'demilestoned':
      return { ...base, milestone: { title: one.titles[0] ?? '' } };
    case 'renamed':
      return { ...base, rename: { from: one.titles[0] ?? '', to: one.titles[1] ?? '' } };
    case 'locked':
      return { ...base, lock_reason: issue.lockReason };
    case 'review_requested':
    case 'review_request_removed':
      return { ...base, review_requester: shapeUserById(call.world, one.actorId), requested_reviewer: subject };
    case 'closed':
    case 'reopened':
    case 'merged':
    case 'unlocked':
    case 'pinned':
    case 'unpinned':
      return base;
  }
}

function commonFields(
  call: RepoCall,
  one: Pick<ThreadEvent, 'id' | 'actorId' | 'atMs' | 'commitSha' | 'viaAppId'> & { readonly event: string },
): JsonObject {
  const api = repoApi(call.world, call.repo);
  return {
    id: one.id,
    node_id: nodeId('TE', one.id),
    url: `${api}/issues/events/${one.id}`,
    actor: shapeUserById(call.world, one.actorId),
    event: one.event,
    commit_id: one.commitSha,
    commit_url: one.commitSha === null ? null : `${api}/commits/${one.commitSha}`,
    created_at: toIso(one.atMs),
    performed_via_github_app: shapeAppById(call.world, one.viaAppId),
  };
}
