/** Fires `on.schedule` on the playground's clock, for workflows of the default branch only. */

import type { Json } from '../../world/json.ts';
import { repoById, userById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { newestDueMs, nextDueMs } from '../workflow/due-times.ts';
import type { Engine } from './engine.ts';
import { planRun } from './plan-run.ts';
import { createRun } from './run-rows.ts';
import { defaultBranchSource } from './run-source.ts';

const ROOM = 'actions';

/** Opens a run for every schedule that came due since the previous call. The first call only sets the starting time. */
export async function fireSchedules(engine: Engine): Promise<void> {
  const { world } = engine;
  const now = world.clock.now();
  const since = scheduleCursor(world);
  world.state.extra[ROOM] = { scheduleCursorMs: now };
  if (since === null || now <= since) return;
  for (const row of Object.values(world.state.workflows)) {
    if (row.state !== 'active') continue;
    for (const line of cronLines(row.on['schedule'])) {
      const dueMs = newestDueMs(line, Math.max(since, row.updatedAtMs), now);
      if (dueMs === null) continue;
      const repo = repoById(world, row.repoId);
      // GitHub gives a scheduled run no repository in its payload (github/codeql-action#1211).
      const payload: Json = { schedule: line, workflow: row.path };
      const source = await defaultBranchSource(world, repo, { type: 'schedule', action: null, payload });
      if (source === null) continue;
      const run = createRun(world, {
        repo,
        workflow: row,
        event: 'schedule',
        payload,
        // GitHub names the person who last changed the cron line; the playground uses the owner.
        actorId: userById(world, repo.ownerId).id,
        source,
        title: row.name,
      });
      await planRun(engine, run, source);
    }
  }
}

/** The next moment at which any schedule fires; null when there is none. */
export function nextScheduleMs(world: World): number | null {
  const now = world.clock.now();
  let next: number | null = null;
  for (const row of Object.values(world.state.workflows)) {
    if (row.state !== 'active') continue;
    for (const line of cronLines(row.on['schedule'])) {
      const due = nextDueMs(line, now);
      if (due !== null && (next === null || due < next)) next = due;
    }
  }
  return next;
}

function scheduleCursor(world: World): number | null {
  const room = world.state.extra[ROOM];
  if (typeof room !== 'object' || room === null || Array.isArray(room)) return null;
  const cursor = Object.entries(room).find(([key]) => key === 'scheduleCursorMs')?.[1];
  return typeof cursor === 'number' ? cursor : null;
}

function cronLines(on: Json | undefined): readonly string[] {
  if (!Array.isArray(on)) return [];
  return on.flatMap((entry: Json) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const line = Object.entries(entry).find(([key]) => key === 'cron')?.[1];
    return typeof line === 'string' ? [line] : [];
  });
}
