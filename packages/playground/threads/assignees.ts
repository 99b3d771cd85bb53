/** The assignees of a thread: people of the repository, at most ten. */

import { userRole } from '../identity/permissions.ts';
import { shapeUser } from '../identity/shape-people.ts';
import type { User } from '../identity/state-people.ts';
import { github } from '../limits/limits.ts';
import { findUser, userById } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Issue } from './state-threads.ts';
import { type Act, emitIssue, putIssue } from './threads.ts';

/** The people whom a thread of the repository may be assigned to (docs.github.com/rest/issues/assignees). */
export function listAssignable(world: World, repo: Repo): readonly User[] {
  return Object.values(world.state.users).filter((user) => user.type === 'User' && userRole(repo, user.id) !== null);
}

/** The assignable person with that login, or null. */
export function findAssignee(world: World, repo: Repo, login: string): User | null {
  const user = findUser(world, login);
  return user !== null && listAssignable(world, repo).some(({ id }) => id === user.id) ? user : null;
}

/** Sets exactly these assignees, with one event for each person added or removed. */
export async function setAssignees(act: Act, before: Issue, ids: readonly number[]): Promise<Issue> {
  let issue = before;
  const wanted = [...new Set(ids)].slice(0, github.assigneesPerThread);
  for (const id of before.assigneeIds.filter((one) => !wanted.includes(one))) {
    const left = issue.assigneeIds.filter((one) => one !== id);
    issue = await changeAssignee(act, issue, left, 'unassigned', id);
  }
  for (const id of wanted.filter((one) => !before.assigneeIds.includes(one)))
    issue = await changeAssignee(act, issue, [...issue.assigneeIds, id], 'assigned', id);
  return issue;
}

async function changeAssignee(
  act: Act,
  before: Issue,
  assigneeIds: readonly number[],
  action: 'assigned' | 'unassigned',
  id: number,
): Promise<Issue> {
  const issue = putIssue(act.world, { ...before, assigneeIds, updatedAtMs: act.world.clock.now() });
  await emitIssue(act, issue, action, { assignee: shapeUser(act.world, userById(act.world, id)) });
  return issue;
}
