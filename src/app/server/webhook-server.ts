/** The HTTP server before the webhooks: every body, wait and connection has a bound, because anybody may connect. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../domain/limits.ts';
import type { Log } from '../lab.ts';
import { createBodyReader } from './webhook-body.ts';

/** Answers a request; one that is no webhook by its headers alone is answered without its body. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => Promise<unknown> | unknown;

/** What is no delivery is answered by its headers alone. */
const UNREAD = { kind: 'read', bytes: new Uint8Array() } as const;
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** A server that is not listening yet. `path`: where webhooks come. */
export function createWebhookServer(middleware: Middleware, path: string, log: Log): Server {
  const readBody = createBodyReader();
  const answering = new WeakSet<Socket>();
  const server = createServer({ connectionsCheckingInterval: limits.webhookLookMs }, (request, response) => {
    const answer = async (): Promise<void> => {
      const isDelivery = request.method === 'POST' && request.url?.split('?')[0] === path;
      if (isDelivery && !mayBeWebhook(request)) return refuse(request, response, 400);
      const body = isDelivery ? await readBody(request) : UNREAD;
      if (body.kind === 'gone') return;
      if (body.kind === 'refused') return refuse(request, response, body.status);
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
  server.headersTimeout = limits.webhookHeadersMs;
  server.requestTimeout = limits.webhookTimeoutMs;
  server.keepAliveTimeout = limits.webhookKeepAliveMs;
  // Who says nothing at all is in no request yet: only this ends it.
  server.timeout = limits.webhookTimeoutMs;
  boundConnections(server, answering);
  return server;
}

/** What has no signature is never read: its sender learns from the headers alone what is missing. */
function mayBeWebhook({ headers }: IncomingMessage): boolean {
  return (
    SIGNATURE.test(String(headers['x-hub-signature-256'])) &&
    headers['x-github-event'] !== undefined &&
    headers['x-github-delivery'] !== undefined &&
    /^\s*application\/json\s*(?:;|$)/.test(headers['content-type'] ?? '')
  );
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
  setTimeout(end, limits.webhookLingerMs).unref();
}

/** The newest is kept and the oldest that is not being answered goes: who only waits never keeps GitHub out. */
function boundConnections(server: Server, answering: WeakSet<Socket>): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= limits.serverConnectionsMax) return;
    for (const oldest of open) {
      if (answering.has(oldest)) continue;
      open.delete(oldest);
      oldest.destroy();
      return;
    }
  });
}
