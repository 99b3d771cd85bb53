/** The HTTP server before the webhooks: every body, wait and connection has a bound, because anybody may connect. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../lab.ts';

/** GitHub gives a webhook ten seconds, and ends the connection then: whoever takes longer to send one is not GitHub. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** GitHub sends no larger payload (docs, *Webhook events and payloads*: capped at 25 MB). */
export const WEBHOOK_BYTES_MAX = 25 * 1024 * 1024;
/** Bodies that are being read, together: five of the largest. Beyond it the largest gives way, so that small ones pass. */
export const WEBHOOK_BYTES_HELD_MAX = 5 * 25 * 1024 * 1024;
/** Headers of a request: GitHub's come in one packet. */
const WEBHOOK_HEADERS_MS = 5_000;
/** Between two deliveries on one connection; a new connection costs a proxy nothing. */
const WEBHOOK_KEEP_ALIVE_MS = 5_000;
/** How often Node looks for connections that are over their time; its own 30 s would triple every bound above. */
const WEBHOOK_LOOK_MS = 1_000;
/** A refused sender may still read its answer for so long: a reset would take it away. */
const WEBHOOK_LINGER_MS = 500;
/** Open connections: GitHub opens some dozens at its busiest, and a file descriptor is kept for git and the engine. */
export const SERVER_CONNECTIONS_MAX = 500;

/** Answers a request; one that is no webhook by its headers alone is answered without its body. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => Promise<unknown> | unknown;

/** What is no delivery is answered by its headers alone. */
const UNREAD = { kind: 'read', bytes: new Uint8Array() } as const;
const OPENING_BRACE = '{'.charCodeAt(0);
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** A server that is not listening yet. `path`: where webhooks come. */
export function createWebhookServer(middleware: Middleware, path: string, log: Log): Server {
  const readBody = createBodyReader();
  const answering = new WeakSet<Socket>();
  const server = createServer({ connectionsCheckingInterval: WEBHOOK_LOOK_MS }, (request, response) => {
    const answer = async (): Promise<void> => {
      const isDelivery = request.method === 'POST' && request.url?.split('?')[0] === path;
      if (isDelivery && !mayBeWebhook(request)) return refuse(request, response, 400);
      const body = isDelivery ? await readBody(request) : UNREAD;
      if (body.kind === 'gone') return;
      if (body.kind === 'refused') return refuse(request, response, body.status);
      // Every payload of GitHub is a JSON object.
      if (isDelivery && body.bytes[0] !== OPENING_BRACE) return refuse(request, response, 400);
      if (body === UNREAD) response.setHeader('connection', 'close');
      // Where a body was read before, the middleware takes these bytes (getPayload of @octokit/webhooks).
      Object.assign(request, { body: {}, rawBody: body.bytes });
      answering.add(request.socket);
      response.once('close', () => answering.delete(request.socket));
      await middleware(request, response, () => response.writeHead(404).end('not found\n'));
    };
    answer().catch((error: unknown) => {
      log(`a request failed: ${String(error)}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.headersTimeout = WEBHOOK_HEADERS_MS;
  server.requestTimeout = WEBHOOK_TIMEOUT_MS;
  server.keepAliveTimeout = WEBHOOK_KEEP_ALIVE_MS;
  // Who says nothing at all is in no request yet: only this ends it.
  server.timeout = WEBHOOK_TIMEOUT_MS;
  boundConnections(server, answering);
  return server;
}

/** What has no signature is never read: its sender learns from the headers alone what is missing. */
function mayBeWebhook({ headers }: IncomingMessage): boolean {
  return (
    SIGNATURE.test(String(headers['x-hub-signature-256'])) &&
    isEventName(headers['x-github-event']) &&
    headers['x-github-delivery'] !== undefined &&
    /^\s*application\/json\s*(?:;|$)/.test(headers['content-type'] ?? '')
  );
}

/** Handlers are looked up by the event's name, so a name that every object has is no event. */
function isEventName(name: string | readonly string[] | undefined): boolean {
  return typeof name === 'string' && !(name in Object.prototype);
}

const REFUSALS = {
  400: 'a webhook has x-github-event, x-github-delivery, x-hub-signature-256 and a body of application/json',
  413: 'larger than any webhook of GitHub',
  503: 'too much at once',
} as const;

/**
 * Answers whole at once, and closes a moment later: a connection that is closed while its sender still sends takes the answer
 * with it. What comes meanwhile is thrown away.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: keyof typeof REFUSALS): void {
  const why = `${REFUSALS[status]}\n`;
  const headers = { connection: 'close', 'content-type': 'text/plain', 'content-length': why.length };
  response.writeHead(status, headers).write(why);
  request.resume();
  const end = (): void => {
    response.end();
    request.socket.destroy();
  };
  setTimeout(end, WEBHOOK_LINGER_MS).unref();
}

/** The newest is kept and the oldest that is not being answered goes: who only waits never keeps GitHub out. */
function boundConnections(server: Server, answering: WeakSet<Socket>): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= SERVER_CONNECTIONS_MAX) return;
    for (const oldest of open) {
      if (answering.has(oldest)) continue;
      open.delete(oldest);
      oldest.destroy();
      return;
    }
  });
}

/** `gone`: the sender went away or ran out of time. 413: larger than GitHub's; 503: the largest while too much was held. */
type BodyReading =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly status: 413 | 503 }
  | { readonly kind: 'gone' };

type Held = { bytes: number; readonly refuse: (status: 413 | 503) => void };

/** A reader for all requests of one server; nothing is kept of a body that is refused. */
function createBodyReader(): (request: IncomingMessage) => Promise<BodyReading> {
  const held = new Set<Held>();
  return (request) => readBody(request, held);
}

function readBody(request: IncomingMessage, held: Set<Held>): Promise<BodyReading> {
  if (Number(request.headers['content-length'] ?? 0) > WEBHOOK_BYTES_MAX)
    return Promise.resolve({ kind: 'refused', status: 413 });
  return new Promise((resolve) => {
    let pieces: Buffer[] = [];
    const settle = (reading: BodyReading): void => {
      held.delete(own);
      pieces = [];
      request.off('data', take);
      resolve(reading);
    };
    const own: Held = { bytes: 0, refuse: (status) => settle({ kind: 'refused', status }) };
    const take = (piece: Buffer): void => {
      own.bytes += piece.length;
      pieces.push(piece);
      if (own.bytes > WEBHOOK_BYTES_MAX) own.refuse(413);
      else makeRoom(held);
    };
    held.add(own);
    request.on('data', take);
    request.once('end', () => settle({ kind: 'read', bytes: Buffer.concat(pieces) }));
    // An error of a request is always followed by its close.
    request.on('error', () => undefined);
    request.once('close', () => settle({ kind: 'gone' }));
  });
}

/** The largest gives way: whoever floods loses, and an honest delivery of some kilobytes never does. */
function makeRoom(held: ReadonlySet<Held>): void {
  let sum = 0;
  let largest: Held | null = null;
  for (const one of held) {
    sum += one.bytes;
    if (largest === null || one.bytes > largest.bytes) largest = one;
  }
  if (sum > WEBHOOK_BYTES_HELD_MAX) largest?.refuse(503);
}
