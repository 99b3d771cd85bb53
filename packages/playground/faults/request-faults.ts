/** Applies faults to API requests: before GitHub acts, after it, or in place of it. */

import { identify } from '../identity/identity.ts';
import type { World } from '../world/world.ts';
import { type DescribedRequest, describeRequest } from './asked.ts';
import { ConnectionLost } from './connection-lost.ts';
import type { FaultKind } from './fault.ts';
import { waitOut } from './slow-answers.ts';
import { staleOrFresh } from './stale-reads.ts';
import { beginStorm, refusedByStorm } from './storms.ts';
import { drawNumber, drawStrikes, isFaultOn, type Occasion, recordStrike, type Strike } from './strike.ts';

const kinds = [
  'server-error',
  'slow',
  'lost-request',
  'lost-answer',
  'stale-read',
  'secondary-limit',
] as const satisfies readonly FaultKind[];

/** Answers a request with the active faults: all slow ones, then the first of the others. */
export async function answerWithFaults(
  world: World,
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!isFaultOn(world, kinds)) return answer(request);
  const described = await describeRequest(request);
  const occasion: Occasion = {
    routes: described.routes,
    byPerson: isPerson(world, request.headers.get('authorization')),
  };
  const refused = described.writes ? refusedByStorm(world, described.caller) : null;
  if (refused !== null) return withDateHeader(world, refused);
  const strikes = drawStrikes(
    world,
    described.writes ? kinds.filter((kind) => kind !== 'stale-read') : kinds,
    occasion,
  );
  for (const { fault } of strikes.filter((one) => one.fault.kind === 'slow')) {
    recordStrike(world, fault, occasion);
    await waitOut(world, fault);
  }
  const other = strikes.find(
    ({ fault }) =>
      fault.kind !== 'slow' &&
      (described.writes || fault.kind !== 'secondary-limit') &&
      // While the request waited, the faults may have been switched off.
      world.state.settings.faults.includes(fault),
  );
  return other === undefined
    ? staleOrFresh(world, described, null, answer)
    : withDateHeader(world, await answerWithFault(world, described, occasion, other, answer));
}

/** Sets the world's time in a proxy's answer; otherwise Node would add this machine's time. */
function withDateHeader(world: World, response: Response): Response {
  if (!response.headers.has('date')) response.headers.set('date', new Date(world.clock.now()).toUTCString());
  return response;
}

/** Whether the caller is a person, by the `authorization` header. */
export function isPerson(world: World, authorization: string | null): boolean {
  const identity = identify(world, authorization);
  return identity.ok && identity.caller.kind === 'user';
}

async function answerWithFault(
  world: World,
  described: DescribedRequest,
  occasion: Occasion,
  { fault, count }: Strike,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  // A first read has no older answer, so a stale read records its own strike.
  if (fault.kind === 'stale-read')
    return staleOrFresh(world, described, { fault, onStale: () => recordStrike(world, fault, occasion) }, answer);
  recordStrike(world, fault, occasion);
  switch (fault.kind) {
    case 'server-error':
      return serverError(drawNumber(fault.seed, `status/${count}`));
    case 'lost-request':
      throw new ConnectionLost('before');
    case 'lost-answer':
      await answer(described.request);
      throw new ConnectionLost('after');
    case 'secondary-limit':
      return beginStorm(world, described.caller);
    case 'slow':
    case 'webhook-dropped':
    case 'webhook-doubled':
    case 'webhook-delayed':
    case 'webhook-reordered':
    case 'push-answer-lost':
    case 'clock-skew':
      throw new Error(`${fault.kind} answers no request`);
  }
}

/** 500 is JSON; 502 and 503 are the HTML page of a proxy. */
function serverError(drawn: number): Response {
  const status = [500, 502, 503][Math.floor(drawn * 3)] ?? 502;
  if (status === 500) return Response.json({ message: 'Server Error' }, { status });
  return new Response('<html><body>Unicorn!</body></html>', { status, headers: { 'content-type': 'text/html' } });
}
