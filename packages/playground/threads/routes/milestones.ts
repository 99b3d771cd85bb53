/** Routes of milestones (docs.github.com/rest/issues/milestones): list, create, get, update, delete. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
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
import { emitChange } from '../../world/emit.ts';
import type { Json } from '../../world/json.ts';
import { nextId } from '../../world/world.ts';
import { listMilestonesOf, shapeMilestone } from '../shape-milestone.ts';
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
  readRoute('/milestones', read, (call) => {
    const state = call.query.get('state') ?? 'open';
    const rows = listMilestonesOf(call.world, call.repo.id).filter((row) => state === 'all' || row.state === state);
    return answerPage(call, rows.toSorted(milestoneOrder(call.query)), (row) => shapeMilestone(call.world, row));
  }),
  writeRoute('POST', '/milestones', write, creation, createMilestone),
  readRoute('/milestones/:number', read, (call) => {
    const row = findMilestone(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeMilestone(call.world, row));
  }),
  writeRoute('PATCH', '/milestones/:number', write, changes, updateMilestone),
  actRoute('DELETE', '/milestones/:number', write, async (call) => {
    const row = findMilestone(call);
    if (row === null) return notFoundAnswer();
    const shaped = shapeMilestone(call.world, row);
    delete call.world.state.milestones[row.id];
    await emitMilestone(call, 'deleted', shaped);
    return noContentAnswer();
  }),
];

/** By due date, soonest first, as on GitHub; milestones without a date come last. */
function milestoneOrder(query: URLSearchParams): (a: Milestone, b: Milestone) => number {
  const sign = query.get('direction') === 'desc' ? -1 : 1;
  if (query.get('sort') === 'completeness') return (a, b) => sign * (a.number - b.number);
  const due = (row: Milestone): number => row.dueAtMs ?? Number.MAX_SAFE_INTEGER;
  return (a, b) => sign * (due(a) - due(b) || a.number - b.number);
}

function findMilestone(call: RepoCall): Milestone | null {
  return listMilestonesOf(call.world, call.repo.id).find(({ number }) => `${number}` === call.params['number']) ?? null;
}

async function createMilestone(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  if (isTitleTaken(call, body.title, null)) return titleTakenAnswer();
  const now = call.world.clock.now();
  const row: Milestone = {
    id: nextId(call.world, 'milestones'),
    repoId: call.repo.id,
    number: nextId(call.world, `milestones of ${call.repo.id}`),
    title: body.title,
    description: body.description ?? null,
    state: body.state ?? 'open',
    dueAtMs: parseDue(body.due_on ?? null),
    creatorId: call.actor.id,
    createdAtMs: now,
    updatedAtMs: now,
    closedAtMs: body.state === 'closed' ? now : null,
  };
  call.world.state.milestones[row.id] = row;
  await emitMilestone(call, 'created', shapeMilestone(call.world, row));
  return createdAnswer(shapeMilestone(call.world, row));
}

async function updateMilestone(call: ActorCall, body: z.infer<typeof changes>): Promise<Answer> {
  const before = findMilestone(call);
  if (before === null) return notFoundAnswer();
  if (body.title !== undefined && isTitleTaken(call, body.title, before.id)) return titleTakenAnswer();
  const now = call.world.clock.now();
  const state = body.state ?? before.state;
  const row: Milestone = {
    ...before,
    title: body.title ?? before.title,
    description: body.description === undefined ? before.description : body.description,
    dueAtMs: body.due_on === undefined ? before.dueAtMs : parseDue(body.due_on),
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
  return okAnswer(shapeMilestone(call.world, row));
}

function isTitleTaken(call: ActorCall, title: string, ownId: number | null): boolean {
  return listMilestonesOf(call.world, call.repo.id).some((row) => row.title === title && row.id !== ownId);
}

function titleTakenAnswer(): Answer {
  return invalidAnswer([{ resource: 'Milestone', code: 'already_exists', field: 'title' }]);
}

function parseDue(text: string | null): number | null {
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
