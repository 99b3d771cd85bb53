/** Milestones as the REST API writes them. */

import { repoApi, repoPage } from '../git/shape-repo.ts';
import { shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Issue, Milestone } from './state-threads.ts';

/** docs.github.com/rest/issues/milestones: a milestone with its numbers of open and closed threads. */
export function shapeMilestone(world: World, row: Milestone): JsonObject {
  const repo = repoById(world, row.repoId);
  const api = `${repoApi(world, repo)}/milestones/${row.number}`;
  const count = (state: Issue['state']): number =>
    Object.values(world.state.issues).filter((one) => one.milestoneId === row.id && one.state === state).length;
  return {
    url: api,
    html_url: `${repoPage(world, repo)}/milestone/${row.number}`,
    labels_url: `${api}/labels`,
    id: row.id,
    node_id: nodeId('MI', row.id),
    number: row.number,
    title: row.title,
    description: row.description,
    creator: shapeUserById(world, row.creatorId),
    open_issues: count('open'),
    closed_issues: count('closed'),
    state: row.state,
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs),
    due_on: toIsoOrNull(row.dueAtMs),
    closed_at: toIsoOrNull(row.closedAtMs),
  };
}

/** A thread's milestone; null if it was deleted. */
export function shapeIssueMilestone(world: World, issue: Issue): JsonObject | null {
  const row = findMilestoneOfIssue(world, issue);
  return row === null ? null : shapeMilestone(world, row);
}

export function findMilestoneOfIssue(world: World, issue: Issue): Milestone | null {
  return issue.milestoneId === undefined ? null : (world.state.milestones[issue.milestoneId] ?? null);
}

/** The milestones of a repository, by number. */
export function listMilestonesOf(world: World, repoId: number): readonly Milestone[] {
  return Object.values(world.state.milestones).filter((row) => row.repoId === repoId);
}
