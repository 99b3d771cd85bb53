/**
 * Changes title, body, state, labels and assignees of an issue or pull request, with one event per change, as on
 * GitHub.
 */

import * as z from 'zod';
import { isAllowed } from '../identity/permissions.ts';
import type { Json } from '../world/json.ts';
import { findAssignee, setAssignees } from './assignees.ts';
import { setLabels } from './label-changes.ts';
import { findMilestoneOfIssue, listMilestonesOf, shapeMilestone } from './shape-milestone.ts';
import type { Issue } from './state-threads.ts';
import { type Act, emitIssue, putIssue, withBody } from './threads.ts';

export const issueChanges = z.object({
  title: z
    .union([z.string(), z.number()])
    .transform((text) => `${text}`)
    .optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string() }).transform((one) => one.name)])).optional(),
  assignees: z.array(z.string()).optional(),
  milestone: z.union([z.int(), z.string()]).nullish(),
});

export type IssueChanges = z.infer<typeof issueChanges>;

export async function applyIssueChanges(act: Act, before: Issue, wanted: IssueChanges): Promise<Issue> {
  let issue = await changeTexts(act, before, wanted);
  if (wanted.state !== undefined && wanted.state !== issue.state) {
    issue = await changeState(act, issue, wanted.state, wanted.state_reason ?? null);
  }
  if (
    !isAllowed(act.world, act.caller, act.repo, issue.pull === null ? 'issues:write' : 'pull_requests:write', 'triage')
  ) {
    return issue;
  }
  if (wanted.assignees !== undefined) {
    const ids = wanted.assignees.flatMap((login) => findAssignee(act.world, act.repo, login)?.id ?? []);
    issue = await setAssignees(act, issue, ids);
  }
  if (wanted.milestone !== undefined) issue = await setMilestone(act, issue, wanted.milestone);
  return wanted.labels === undefined ? issue : setLabels(act, issue, [...new Set(wanted.labels)]);
}

/** Opens or closes a thread. The branch tips of a closed pull request are stored. */
export async function changeState(
  act: Act,
  before: Issue,
  state: Issue['state'],
  reason: IssueChanges['state_reason'],
): Promise<Issue> {
  const now = act.world.clock.now();
  const closed = state === 'closed';
  const closing = reason === 'not_planned' || reason === 'duplicate' ? reason : 'completed';
  const issue = putIssue(act.world, {
    ...before,
    state,
    stateReason: before.pull !== null ? null : closed ? closing : 'reopened',
    closedAtMs: closed ? now : null,
    closedById: closed ? act.actor.id : null,
    updatedAtMs: now,
  });
  await emitIssue(act, issue, closed ? 'closed' : 'reopened');
  return issue;
}

async function changeTexts(act: Act, before: Issue, wanted: IssueChanges): Promise<Issue> {
  const title = wanted.title ?? before.title;
  const body = wanted.body === undefined ? before.body : (wanted.body ?? '');
  if (title === before.title && body === before.body) return before;
  const changes: Record<string, Json> = {};
  if (title !== before.title) changes['title'] = { from: before.title };
  if (body !== before.body) changes['body'] = { from: before.body };
  const issue = putIssue(act.world, { ...withBody(act, before, body), title, updatedAtMs: act.world.clock.now() });
  await emitIssue(act, issue, 'edited', { changes });
  return issue;
}

/** Sets or clears the thread's milestone by number. The caller has already rejected unknown numbers. */
export async function setMilestone(act: Act, before: Issue, number: number | string | null): Promise<Issue> {
  const old = findMilestoneOfIssue(act.world, before);
  const row =
    listMilestonesOf(act.world, act.repo.id).find((one) => number !== null && `${one.number}` === `${number}`) ?? null;
  if (old?.id === row?.id) return before;
  const { milestoneId: _old, ...rest } = before;
  const now = act.world.clock.now();
  const issue = putIssue(act.world, { ...rest, ...(row === null ? {} : { milestoneId: row.id }), updatedAtMs: now });
  if (old !== null) await emitIssue(act, issue, 'demilestoned', { milestone: shapeMilestone(act.world, old) });
  if (row !== null) await emitIssue(act, issue, 'milestoned', { milestone: shapeMilestone(act.world, row) });
  return issue;
}
