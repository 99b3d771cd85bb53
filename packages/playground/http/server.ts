/** One port on the loopback for API, git, pages and control. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerLog, isLog } from '../actions/log-address.ts';
import { answerResults, isResults } from '../actions/results/results-door.ts';
import { ConnectionLost } from '../faults/connection-lost.ts';
import { endWaits } from '../faults/slow-answers.ts';
import { playground, results } from '../limits/limits.ts';
import { sendReply } from '../pages/reply.ts';
import type { World } from '../world/world.ts';
import { requestAddress, withRequestedHost } from './api-host.ts';
import { answerControl } from './control.ts';
import { type LiveEvents, startLiveEvents } from './live-events.ts';
import { sendResponse, toFetchRequest } from './node-request.ts';
import type { OffsetClock } from './offset-clock.ts';
import { patchAddress, toPatchRequest } from './patch-address.ts';
import { admitUser, makeUserSecret, signInAddress } from './user-only.ts';

/** Answers a request, or returns false if it belongs to another handler. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export type ServerParts = {
  readonly world: World;
  readonly clock: OffsetClock | null;
  readonly git?: Handler;
  readonly pages?: Handler;
  /** Receives every exception of a request: a bug of the playground, answered with 500. */
  readonly onBug: (error: unknown) => void;
};

export type Listening = {
  readonly ok: true;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Required by pages and control, in the cookie or as `Authorization: Bearer …`. */
  readonly secret: string;
  /** The address of a page for a person; opening it signs the browser in. */
  readonly signIn: (path: string) => string;
  /** Sets the handlers; until then every request is answered with 503. */
  readonly serve: (rooms: ServerParts) => void;
  /** Stops accepting requests, waits for the active ones, and frees the port. */
  readonly close: () => Promise<void>;
};

export type ListenOutcome = Listening | { readonly ok: false; readonly reason: 'port-in-use' | 'port-forbidden' };

/** Port 0 takes any free port. The address is known before the world exists, because the world's URLs contain it. */
export async function listen(port: number): Promise<ListenOutcome> {
  let open: OpenServer | null = null;
  const handled = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    if (open === null) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('The playground is starting.\n');
      return;
    }
    const { rooms } = open;
    const handling = routeRequest(open, request, response).catch((error: unknown) => {
      if (error instanceof ConnectionLost) {
        response.destroy();
        return;
      }
      rooms.onBug(error);
      if (response.headersSent) response.destroy();
      else
        response
          .writeHead(500, { 'content-type': 'application/json' })
          .end('{"message":"The playground broke; see its log."}');
    });
    handled.add(handling);
    handling.finally(() => handled.delete(handling));
  });
  const failure = await bindPort(server, port);
  if (failure === 'EADDRINUSE') return { ok: false, reason: 'port-in-use' };
  if (failure === 'EACCES') return { ok: false, reason: 'port-forbidden' };
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const origin = `http://127.0.0.1:${bound}`;
  const secret = makeUserSecret();
  return {
    ok: true,
    origin,
    secret,
    signIn: (path) => signInAddress(origin, path, secret),
    serve: (rooms) => {
      open = { rooms, origin, secret, live: startLiveEvents(rooms.world.bus) };
    },
    close: async () => {
      open?.live.close();
      if (open !== null) endWaits(open.rooms.world);
      await closeServer(server);
      // A handler whose client disconnected still runs and would find its folders deleted.
      await Promise.all(handled);
    },
  };
}

type OpenServer = Pick<Listening, 'origin' | 'secret'> & { readonly rooms: ServerParts; readonly live: LiveEvents };

/**
 * `/api` belongs to the world, job services have their own addresses, and git recognizes its own requests. Each of
 * these requires its own tokens. `/_playground` is control and everything else is pages: both admit only the user.
 */
async function routeRequest(open: OpenServer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { rooms, origin, live } = open;
  if (!isLocalHostName(incoming.headers.host)) {
    outgoing.writeHead(421, { 'content-type': 'text/plain' }).end('Ask for 127.0.0.1 or localhost.\n');
    return;
  }
  const address = requestAddress(incoming.url, incoming.headers.host, origin);
  const path = address.pathname;
  if (path.startsWith('/api/') && (incoming.headers['user-agent'] ?? '').trim() === '') {
    // docs.github.com/rest: getting started, "User agent required".
    outgoing.writeHead(403, { 'content-type': 'text/plain' });
    outgoing.end('Request forbidden by administrative rules. Please make sure your request has a User-Agent header.\n');
    return;
  }
  if (path.startsWith('/api/')) return serveFetch(incoming, outgoing, origin, (request) => rooms.world.fetch(request));
  if (isResults(path)) {
    const bytes = Math.max(results.blobBytes, playground.requestBytes);
    return serveFetch(incoming, outgoing, origin, (request) => answerResults(rooms.world, request), bytes);
  }
  if (rooms.git !== undefined && (await rooms.git(incoming, outgoing))) return;
  if (isLog(path)) return serveFetch(incoming, outgoing, origin, async (request) => answerLog(rooms.world, request));
  const patch = patchAddress(path);
  if (patch !== null && incoming.method === 'GET')
    return serveFetch(incoming, outgoing, origin, (request) => rooms.world.fetch(toPatchRequest(request, patch)));
  const refusal = admitUser(incoming, address, open);
  if (refusal !== null) return sendReply(outgoing, refusal);
  if (path === '/_playground/events' && incoming.method === 'GET') return live.open(outgoing);
  if (isControl(path)) {
    return serveFetch(incoming, outgoing, origin, async (request) => {
      return (await answerControl(rooms.world, rooms.clock, request)) ?? nothingHereResponse(405);
    });
  }
  if (rooms.pages !== undefined && (await rooms.pages(incoming, outgoing))) return;
  await sendResponse(outgoing, nothingHereResponse(404));
}

/**
 * A website may let its name resolve to 127.0.0.1 and read the people's tokens as its own (DNS rebinding). Such
 * requests carry its host name, so compare it.
 */
function isLocalHostName(host: string | undefined): boolean {
  return /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z0-9-]+\.)*localhost)(?::\d+)?$/i.test(host ?? '');
}

async function serveFetch(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origin: string,
  answer: (request: Request) => Promise<Response>,
  limitBytes?: number,
): Promise<void> {
  const request = await toFetchRequest(incoming, origin, limitBytes);
  const response = request === null ? nothingHereResponse(413) : await answer(request);
  await sendResponse(outgoing, await withRequestedHost(incoming.headers.host, origin, response));
}

function isControl(path: string): boolean {
  return /^\/_playground\/(people|usage|deliveries|limits|unserved|faults|clock|installation|webhook)$/.test(path);
}

function nothingHereResponse(status: 404 | 405 | 413): Response {
  const message = { 404: 'Not Found', 405: 'Method Not Allowed', 413: 'Request body is too large' }[status];
  return Response.json({ message }, { status });
}

async function bindPort(server: Server, port: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(error.code);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => resolve(null));
  });
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeIdleConnections();
  });
}
