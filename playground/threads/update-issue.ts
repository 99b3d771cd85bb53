/** Changes title, body, state, labels and assignees of an issue or pull request, one event per change as GitHub sends. */

import * as z from 'zod';
import { may } from '../identity/permissions.ts';
import type { Json } from '../world/json.ts';
import { findUser } from '../world/lookup.ts';
import { setLabels } from './label-changes.ts';
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
  labels: z
    .array(z.union([z.string(), z.object({ name: z.string() }).transform((one) => one.name)]))
    .optional(),
  assignees: z.array(z.string()).optional(),
});

export type IssueChanges = z.infer<typeof issueChanges>;

export async function applyIssueChanges(act: Act, before: Issue, wanted: IssueChanges): Promise<Issue> {
  let issue = await changeTexts(act, before, wanted);
  if (wanted.state !== undefined && wanted.state !== issue.state) {
    issue = await changeState(act, issue, wanted.state, wanted.state_reason ?? null);
  }
  if (
    !may(
      act.world,
      act.caller,
      act.repo,
      issue.pull === null ? 'issues:write' : 'pull_requests:write',
      'triage',
    )
  ) {
    return issue;
  }
  if (wanted.assignees !== undefined) {
    const assigneeIds = wanted.assignees.flatMap((login) => findUser(act.world, login)?.id ?? []);
    issue = putIssue(act.world, { ...issue, assigneeIds, updatedAtMs: act.world.clock.now() });
  }
  return wanted.labels === undefined ? issue : setLabels(act, issue, [...new Set(wanted.labels)]);
}

/** Opens or closes; the branches of a closed pull request are remembered as they were. */
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
  const issue = putIssue(act.world, {
    ...withBody(act, before, body),
    title,
    updatedAtMs: act.world.clock.now(),
  });
  await emitIssue(act, issue, 'edited', { changes });
  return issue;
}
