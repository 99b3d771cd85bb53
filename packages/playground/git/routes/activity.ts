/** The activity view of a repository (docs.github.com/rest/repos: list repository activities): who moved which branch. */

import { readPage } from '../../api/paging.ts';
import { type Answer, okAnswer } from '../../api/reply.ts';
import { type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { shapeUser } from '../../identity/shape-people.ts';
import type { JsonObject } from '../../world/json.ts';
import { findUser } from '../../world/lookup.ts';
import { nodeId } from '../../world/node-id.ts';
import type { Activity } from '../../world/state.ts';
import { toIso } from '../../world/time.ts';

export const activityRoutes: readonly Route[] = [
  readRoute('/activity', repoAccess('contents:read', 'public'), listActivity),
];

/** Newest first by default; paged by cursor, not by number. */
function listActivity(call: RepoCall): Answer {
  const rows = Object.values(call.world.state.activities).filter((row) => matchesQuery(call, row));
  const isAscending = call.query.get('direction') === 'asc';
  const sorted = rows.toSorted((a, b) => (isAscending ? a.id - b.id : b.id - a.id));
  const cursor = call.query.get('after');
  const from = cursor === null ? 0 : sorted.findIndex((row) => String(row.id) === cursor) + 1;
  const page = sorted.slice(from, from + readPage(call.query).perPage);
  const last = page.at(-1);
  const isMore = last !== undefined && last !== sorted.at(-1);
  return okAnswer(
    page.map((row) => shapeActivity(call, row)),
    isMore ? { link: `<${nextPage(call, last)}>; rel="next"` } : {},
  );
}

function nextPage(call: RepoCall, last: Activity): string {
  const url = new URL(call.url);
  url.searchParams.set('after', String(last.id));
  return url.href;
}

function matchesQuery(call: RepoCall, row: Activity): boolean {
  if (row.repoId !== call.repo.id) return false;
  const ref = call.query.get('ref');
  if (ref !== null && row.ref !== ref && row.ref !== `refs/heads/${ref}`) return false;
  const kind = call.query.get('activity_type');
  if (kind !== null && row.kind !== kind) return false;
  const actor = call.query.get('actor');
  return actor === null || findUser(call.world, actor)?.id === row.actorId;
}

/** A deleted account is null. */
function shapeActivity(call: RepoCall, row: Activity): JsonObject {
  const actor = call.world.state.users[row.actorId];
  return {
    id: row.id,
    node_id: nodeId('PSH', row.id),
    before: row.before,
    after: row.after,
    ref: row.ref,
    timestamp: toIso(row.atMs),
    activity_type: row.kind,
    actor: actor === undefined ? null : shapeUser(call.world, actor),
  };
}
