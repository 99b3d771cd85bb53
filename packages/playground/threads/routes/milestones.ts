/** Routes of milestones (docs.github.com/rest/issues/milestones): list, create, get, update, delete. */

import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, invalid, noContent, notFound, ok } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import { emitChange } from '../../world/emit.ts';
import type { Json } from '../../world/json.ts';
import { nextId } from '../../world/world.ts';
import { milestonesOf, shapeMilestone } from '../shape-milestone.ts';
import type { Milestone } from '../state-threads.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const write = repoAccess(['issues:write', 'pull_requests:write'], 'write');

const changes = z.object({
  title: z.string().min(1).optional(),
  state: z.enum(['open', 'closed']).optional(),
  description: z.string().nullish(),
  due_on: z.iso.datetime({ offset: true }).nullish(),
});
const creation = changes.extend({ title: z.string().min(1) });

export const milestoneRoutes: readonly Route[] = [
  reads('/milestones', read, (call) => {
    const state = call.query.get('state') ?? 'open';
    const rows = milestonesOf(call.world, call.repo.id).filter((row) => state === 'all' || row.state === state);
    return paged(call, rows.toSorted(orderOf(call.query)), (row) => shapeMilestone(call.world, row));
  }),
  writes('POST', '/milestones', write, creation, createMilestone),
  reads('/milestones/:number', read, (call) => {
    const row = milestoneAt(call);
    return row === null ? notFound() : ok(shapeMilestone(call.world, row));
  }),
  writes('PATCH', '/milestones/:number', write, changes, updateMilestone),
  acts('DELETE', '/milestones/:number', write, async (call) => {
    const row = milestoneAt(call);
    if (row === null) return notFound();
    const shaped = shapeMilestone(call.world, row);
    delete call.world.state.milestones[row.id];
    await emitMilestone(call, 'deleted', shaped);
    return noContent();
  }),
];

/** By due date, soonest first, as on GitHub; milestones without a date come last. */
function orderOf(query: URLSearchParams): (a: Milestone, b: Milestone) => number {
  const sign = query.get('direction') === 'desc' ? -1 : 1;
  if (query.get('sort') === 'completeness') return (a, b) => sign * (a.number - b.number);
  const due = (row: Milestone): number => row.dueAtMs ?? Number.MAX_SAFE_INTEGER;
  return (a, b) => sign * (due(a) - due(b) || a.number - b.number);
}

function milestoneAt(call: RepoCall): Milestone | null {
  return milestonesOf(call.world, call.repo.id).find(({ number }) => `${number}` === call.params['number']) ?? null;
}

async function createMilestone(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  if (isTaken(call, body.title, null)) return taken();
  const now = call.world.clock.now();
  const row: Milestone = {
    id: nextId(call.world, 'milestones'),
    repoId: call.repo.id,
    number: nextId(call.world, `milestones of ${call.repo.id}`),
    title: body.title,
    description: body.description ?? null,
    state: body.state ?? 'open',
    dueAtMs: dueOf(body.due_on ?? null),
    creatorId: call.actor.id,
    createdAtMs: now,
    updatedAtMs: now,
    closedAtMs: body.state === 'closed' ? now : null,
  };
  call.world.state.milestones[row.id] = row;
  await emitMilestone(call, 'created', shapeMilestone(call.world, row));
  return created(shapeMilestone(call.world, row));
}

async function updateMilestone(call: ActorCall, body: z.infer<typeof changes>): Promise<Answer> {
  const before = milestoneAt(call);
  if (before === null) return notFound();
  if (body.title !== undefined && isTaken(call, body.title, before.id)) return taken();
  const now = call.world.clock.now();
  const state = body.state ?? before.state;
  const row: Milestone = {
    ...before,
    title: body.title ?? before.title,
    description: body.description === undefined ? before.description : body.description,
    dueAtMs: body.due_on === undefined ? before.dueAtMs : dueOf(body.due_on),
    state,
    closedAtMs: state === 'open' ? null : (before.closedAtMs ?? now),
    updatedAtMs: now,
  };
  call.world.state.milestones[row.id] = row;
  const changed: Record<string, Json> = {};
  if (row.title !== before.title) changed['title'] = { from: before.title };
  if (row.description !== before.description) changed['description'] = { from: before.description ?? '' };
  if (Object.keys(changed).length > 0)
    await emitMilestone(call, 'edited', shapeMilestone(call.world, row), { changes: changed });
  if (state !== before.state)
    await emitMilestone(call, state === 'closed' ? 'closed' : 'opened', shapeMilestone(call.world, row));
  return ok(shapeMilestone(call.world, row));
}

function isTaken(call: ActorCall, title: string, ownId: number | null): boolean {
  return milestonesOf(call.world, call.repo.id).some((row) => row.title === title && row.id !== ownId);
}

function taken(): Answer {
  return invalid([{ resource: 'Milestone', code: 'already_exists', field: 'title' }]);
}

function dueOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

async function emitMilestone(
  call: ActorCall,
  action: string,
  milestone: Json,
  extra: Readonly<Record<string, Json>> = {},
): Promise<void> {
  await emitChange(call.world, {
    type: 'milestone',
    action,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    payload: { milestone, ...extra },
  });
}
