/**
 * Applies faults to git's own requests over HTTP, if the route names them (`POST /lab/ferries.git/git-upload-pack`).
 */

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { World } from '../world/world.ts';
import { ConnectionLost } from './connection-lost.ts';
import type { FaultKind } from './fault.ts';
import { isPerson } from './request-faults.ts';
import { waitOut } from './slow-answers.ts';
import { drawStrikes, isFaultOn, type Occasion, recordStrike } from './strike.ts';

const kinds = ['server-error', 'slow', 'lost-request', 'lost-answer'] as const satisfies readonly FaultKind[];

/**
 * Handles one git request with the active faults. Throws `ConnectionLost` as the API does. A plain `*` does not include
 * git, because pushes have a fault of their own. Git sends its first request without a token, so guests are spared like
 * people.
 */
export async function gitWithFaults(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  serve: (response: ServerResponse) => Promise<void>,
): Promise<void> {
  if (!isFaultOn(world, kinds)) return serve(response);
  const { authorization } = request.headers;
  const [path = ''] = (request.url ?? '').split('?');
  const occasion: Occasion = {
    routes: [`${request.method ?? ''} ${path}`],
    byPerson: authorization === undefined || isPerson(world, authorization),
    namedBy: '.git/',
  };
  const strikes = drawStrikes(world, kinds, occasion);
  for (const { fault } of strikes.filter((one) => one.fault.kind === 'slow')) {
    recordStrike(world, fault, occasion);
    await waitOut(world, fault);
  }
  const other = strikes.find(({ fault }) => fault.kind !== 'slow' && world.state.settings.faults.includes(fault));
  if (other === undefined) return serve(response);
  recordStrike(world, other.fault, occasion);
  if (other.fault.kind === 'lost-request') throw new ConnectionLost('before');
  if (other.fault.kind === 'lost-answer') {
    await serve(new ServerResponse(request));
    throw new ConnectionLost('after');
  }
  request.resume();
  response.writeHead(503, { 'content-type': 'text/plain' }).end('Unicorn!\n');
}
