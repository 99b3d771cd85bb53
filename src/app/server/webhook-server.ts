/** The public HTTP server, with limits on body sizes, times and connections. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../lab.ts';

/** GitHub closes a delivery after ten seconds. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** GitHub's maximum payload (docs, *Webhook events and payloads*). */
export const WEBHOOK_BYTES_MAX = 25 * 1024 * 1024;
/** Memory for incoming bodies: five of the maximum size. Above this limit, the largest body is refused. */
export const WEBHOOK_BYTES_HELD_MAX = 5 * 25 * 1024 * 1024;
/** Time for the headers; GitHub sends them in one packet. */
const WEBHOOK_HEADERS_MS = 5_000;
/** Idle time between two deliveries on one connection. */
const WEBHOOK_KEEP_ALIVE_MS = 5_000;
/** How often Node checks connections; its default of 30 s would triple the limits above. */
const WEBHOOK_LOOK_MS = 1_000;
/** Time for the sender to read a refusal before the connection is reset. */
const WEBHOOK_LINGER_MS = 500;
/** Maximum number of connections; GitHub opens some dozens. */
export const SERVER_CONNECTIONS_MAX = 500;

/** A page of the server itself, such as `/health`. */
export type Page = { readonly status: number; readonly type: string; readonly body: string };
export type Pages = Readonly<Record<string, () => Promise<Page>>>;

/** Handles a request with a body that was already read. */
type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => Promise<unknown> | unknown;

const UNREAD_BODY = { kind: 'read', bytes: new Uint8Array() } as const;
const OPENING_BRACE = '{'.charCodeAt(0);
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Creates the server without starting to listen. `path`: the path for webhooks; `pages`: by path. */
export function createWebhookServer(middleware: Middleware, path: string, pages: Pages, log: Log): Server {
  const readBody = createBodyReader();
  const answering = new WeakSet<Socket>();
  const server = createServer({ connectionsCheckingInterval: WEBHOOK_LOOK_MS }, (request, response) => {
    const answer = async (): Promise<void> => {
      const asked = request.url?.split('?')[0] ?? '';
      if (request.method === 'GET' && Object.hasOwn(pages, asked)) return show(response, await pages[asked]?.());
      const isDelivery = request.method === 'POST' && asked === path;
      if (isDelivery && !mayBeWebhook(request)) return sendRefusal(request, response, 400);
      const body = isDelivery ? await readBody(request) : UNREAD_BODY;
      if (body.kind === 'gone') return;
      if (body.kind === 'refused') return sendRefusal(request, response, body.status);
      // GitHub's payloads are JSON objects.
      if (isDelivery && body.bytes[0] !== OPENING_BRACE) return sendRefusal(request, response, 400);
      if (body === UNREAD_BODY) response.setHeader('connection', 'close');
      // The middleware uses this body and does not read the request (getPayload of @octokit/webhooks).
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
  // Closes idle connections that have sent no request.
  server.timeout = WEBHOOK_TIMEOUT_MS;
  boundConnections(server, answering);
  return server;
}

function show(response: ServerResponse, page: Page | undefined): void {
  response.writeHead(page?.status ?? 404, { connection: 'close', 'content-type': page?.type ?? 'text/plain' });
  response.end(page?.body);
}

/** Checks only the headers, so that a request without a signature is rejected before its body is read. */
function mayBeWebhook({ headers }: IncomingMessage): boolean {
  return (
    SIGNATURE.test(String(headers['x-hub-signature-256'])) &&
    isEventName(headers['x-github-event']) &&
    headers['x-github-delivery'] !== undefined &&
    /^\s*application\/json\s*(?:;|$)/.test(headers['content-type'] ?? '')
  );
}

/** Property names of Object.prototype are not event names. */
function isEventName(name: string | readonly string[] | undefined): boolean {
  return typeof name === 'string' && !(name in Object.prototype);
}

const REFUSALS = {
  400: 'a webhook has x-github-event, x-github-delivery, x-hub-signature-256 and a body of application/json',
  413: 'larger than any webhook of GitHub',
  503: 'too much at once',
} as const;

/** Responds immediately and closes a moment later, so that the sender can read the response. Ignores the rest of the body. */
function sendRefusal(request: IncomingMessage, response: ServerResponse, status: keyof typeof REFUSALS): void {
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

/** Closes the oldest connection without a response in progress, so that idle clients cannot block GitHub. */
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

/** `gone`: the sender disconnected or timed out. */
type BodyReading =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly status: 413 | 503 }
  | { readonly kind: 'gone' };

type HeldBody = { bytes: number; readonly refuse: (status: 413 | 503) => void };

function createBodyReader(): (request: IncomingMessage) => Promise<BodyReading> {
  const held = new Set<HeldBody>();
  return (request) => readBody(request, held);
}

function readBody(request: IncomingMessage, held: Set<HeldBody>): Promise<BodyReading> {
  if (Number(request.headers['content-length'] ?? 0) > WEBHOOK_BYTES_MAX)
    return Promise.resolve({ kind: 'refused', status: 413 });
  return new Promise((resolve) => {
    let pieces: Buffer[] = [];
    const settle = (reading: BodyReading): void => {
      held.delete(own);
      pieces = [];
      request.off('data', addPiece);
      resolve(reading);
    };
    const own: HeldBody = { bytes: 0, refuse: (status) => settle({ kind: 'refused', status }) };
    const addPiece = (piece: Buffer): void => {
      own.bytes += piece.length;
      pieces.push(piece);
      if (own.bytes > WEBHOOK_BYTES_MAX) own.refuse(413);
      else dropLargestBody(held);
    };
    held.add(own);
    request.on('data', addPiece);
    request.once('end', () => settle({ kind: 'read', bytes: Buffer.concat(pieces) }));
    // A close event always follows an error.
    request.on('error', () => undefined);
    request.once('close', () => settle({ kind: 'gone' }));
  });
}

/** Refuses the largest body, so that a flood does not affect small deliveries. */
function dropLargestBody(held: ReadonlySet<HeldBody>): void {
  let sum = 0;
  let largest: HeldBody | null = null;
  for (const one of held) {
    sum += one.bytes;
    if (largest === null || one.bytes > largest.bytes) largest = one;
  }
  if (sum > WEBHOOK_BYTES_HELD_MAX) largest?.refuse(503);
}
