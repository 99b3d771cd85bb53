/** Lets faults strike requests of the API: before GitHub acts, after it, or instead of it. */

import { secondaryLimit } from '../api/reply.ts';
import { faults as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import { type Asked, looked } from './asked.ts';
import { ConnectionLost } from './connection-lost.ts';
import type { Fault } from './fault.ts';
import { staleOrFresh } from './stale-reads.ts';
import { isOn, lot, strike } from './strike.ts';

const kinds = [
  'server-error',
  'slow',
  'lost-request',
  'lost-answer',
  'stale-read',
  'secondary-limit',
] as const;

/** Answers a request, with what the faults that are on do to it. */
export async function answerWithFaults(
  world: World,
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!isOn(world, kinds)) return answer(request);
  const spared = isPerson(request) && !world.state.settings.faults.some(({ people }) => people);
  if (spared) return answer(request);
  const asked = await looked(request);
  const stormEndMs = storms.get(world)?.get(asked.caller) ?? 0;
  if (asked.writes && stormEndMs > world.clock.now()) return limited(stormEndMs - world.clock.now());
  const fault = strike(
    world,
    asked.writes ? kinds.filter((kind) => kind !== 'stale-read') : kinds,
    asked.route,
  );
  if (fault === null) return staleOrFresh(world, asked, null, answer);
  return struck(world, asked, fault, answer);
}

const storms = new WeakMap<World, Map<string, number>>();

async function struck(
  world: World,
  asked: Asked,
  fault: Fault,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  switch (fault.kind) {
    case 'server-error':
      return serverError(fault, asked);
    case 'slow':
      await world.clock.sleep(Math.abs(fault.durationMs));
      return answer(asked.request);
    case 'lost-request':
      throw new ConnectionLost('before');
    case 'lost-answer':
      await answer(asked.request);
      throw new ConnectionLost('after');
    case 'stale-read':
      return staleOrFresh(world, asked, fault, answer);
    case 'secondary-limit': {
      if (!asked.writes) return answer(asked.request);
      const open = storms.get(world) ?? new Map<string, number>();
      storms.set(world, open.set(asked.caller, world.clock.now() + limits.stormMs));
      return limited(limits.stormMs);
    }
    case 'webhook-dropped':
    case 'webhook-doubled':
    case 'webhook-delayed':
    case 'webhook-reordered':
    case 'push-answer-lost':
    case 'clock-skew':
      throw new Error(`${fault.kind} is no fault of a request`);
  }
}

function limited(waitMs: number): Response {
  const { status, body, headers } = secondaryLimit(waitMs);
  return Response.json(body, { status, headers });
}

/** 500 comes as JSON, 502 and 503 as the page of a proxy. */
function serverError(fault: Fault, asked: Asked): Response {
  const status = [500, 502, 503][Math.floor(lot(fault.seed, asked.key) * 3)] ?? 502;
  if (status === 500) return Response.json({ message: 'Server Error' }, { status });
  return new Response('<html><body>Unicorn!</body></html>', {
    status,
    headers: { 'content-type': 'text/html' },
  });
}

function isPerson(request: Request): boolean {
  return /\bghp_/.test(request.headers.get('authorization') ?? '');
}
