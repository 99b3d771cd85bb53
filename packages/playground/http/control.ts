/** The playground's own endpoints under `/_playground/`: state that GitHub does not show, and controls for tests. */

import * as z from 'zod';
import { readJsonBody, toJson } from '../api/read-body.ts';
import { faultSchema } from '../faults/fault.ts';
import { recentStrikes } from '../faults/strike.ts';
import { switchFaults } from '../faults/switch-faults.ts';
import { faults as limits } from '../limits/limits.ts';
import { rateUsage } from '../limits/rate.ts';
import { secondaryUsage } from '../limits/secondary.ts';
import type { Json } from '../world/json.ts';
import type { World } from '../world/world.ts';
import { changeInstallation, changeWebhook, installationChange, webhookChange } from './control-app.ts';
import type { OffsetClock } from './offset-clock.ts';
import { listPeople } from './people.ts';

const drop = z.union([
  z.enum(['none', 'all']),
  z.strictObject({ event: z.string().min(1), seed: z.int(), rate: z.number().min(0).max(1) }),
]);
const faults = z.strictObject({ drop: drop.optional(), faults: z.array(faultSchema).max(limits.atOnce).optional() });
const clockMove = z.strictObject({ advance_ms: z.number().nonnegative() });

/** The key of the clock's offset in `state.extra`. */
export const clockOffsetKey = 'clockOffsetMs';

/** Moves the clock forward and stores the offset for a restart. */
export function advanceClock(world: World, clock: OffsetClock, durationMs: number): void {
  clock.advance(durationMs);
  world.state.extra[clockOffsetKey] = clock.offsetMs();
}

/** Null: the path is not a control endpoint. `clock` is null for a world whose clock cannot be moved by hand. */
export async function answerControl(
  world: World,
  clock: OffsetClock | null,
  request: Request,
): Promise<Response | null> {
  const path = new URL(request.url).pathname;
  switch (`${request.method} ${path}`) {
    case 'GET /_playground/people':
      return Response.json(listPeople(world));
    case 'GET /_playground/usage':
      return Response.json(world.state.usage);
    case 'GET /_playground/limits':
      return Response.json({
        primary: rateUsage(world),
        graphql: rateUsage(world, 'graphql'),
        secondary: secondaryUsage(world),
      });
    case 'GET /_playground/deliveries':
      return Response.json(Object.values(world.state.deliveries));
    case 'GET /_playground/unserved':
      return Response.json(world.state.unserved);
    case 'GET /_playground/faults':
      return Response.json(faultsAnswer(world));
    case 'PUT /_playground/faults':
      return applyChange(world, request, faults, (wanted) => {
        world.state.settings.drop = wanted.drop ?? world.state.settings.drop;
        if (wanted.faults !== undefined) switchFaults(world, wanted.faults);
        return faultsAnswer(world);
      });
    case 'PUT /_playground/installation':
      return applyChange(world, request, installationChange, (wanted) => changeInstallation(world, wanted));
    case 'PUT /_playground/webhook':
      return applyChange(world, request, webhookChange, (wanted) => changeWebhook(world, wanted));
    case 'GET /_playground/clock':
      return Response.json(clockAnswer(world, clock));
    case 'PUT /_playground/clock':
      if (clock === null) return refuseControl(409, 'This clock cannot be moved by hand.');
      return applyChange(world, request, clockMove, (wanted) => {
        advanceClock(world, clock, wanted.advance_ms);
        return clockAnswer(world, clock);
      });
    default:
      return null;
  }
}

async function applyChange<Wanted>(
  world: World,
  request: Request,
  schema: z.ZodType<Wanted>,
  apply: (wanted: Wanted) => Json,
): Promise<Response> {
  const body = await readJsonBody(request);
  if (!body.ok) return refuseControl(400, body.message);
  const wanted = schema.safeParse(body.value);
  if (!wanted.success) return refuseControl(422, z.prettifyError(wanted.error));
  const answer = apply(wanted.data);
  await world.save();
  return Response.json(answer);
}

function faultsAnswer(world: World): Json {
  const { drop, faults: on } = world.state.settings;
  const struck = { ...world.state.faultsStruck };
  return { drop: toJson(drop), faults: toJson(on), struck, lately: toJson(recentStrikes(world)) };
}

function clockAnswer(world: World, clock: OffsetClock | null): Json {
  const nowMs = world.clock.now();
  return { now: new Date(nowMs).toISOString(), now_ms: nowMs, offset_ms: clock?.offsetMs() ?? null };
}

function refuseControl(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
