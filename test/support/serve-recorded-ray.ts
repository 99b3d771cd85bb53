/** The recorded head over real HTTP on loopback. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { bytesOf, type RecordedRay } from './recorded-ray.ts';

export type ServedRay = { readonly address: string; readonly close: () => Promise<void> };

/** Serves it on a port of its own. */
export async function serveRecordedRay(ray: RecordedRay): Promise<ServedRay> {
  const server = createServer((request, response) => {
    collect(request).then(
      (body) => respond(ray, request, body, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('a server without a port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function respond(ray: RecordedRay, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const answer = ray.answer(askedOf(request, pathOf(request), body));
  response.statusCode = answer.status;
  if (answer.contentType !== '') response.setHeader('content-type', answer.contentType);
  response.end(bytesOf(answer.body));
}

function askedOf(request: IncomingMessage, path: string, body: Buffer): Parameters<RecordedRay['answer']>[0] {
  const { authorization } = request.headers;
  return {
    method: request.method ?? 'GET',
    path,
    headers: {
      authorization,
      'sec-fetch-mode': String(request.headers['sec-fetch-mode'] ?? '') || undefined,
    },
    body,
    query: urlOf(request).searchParams,
  };
}

function pathOf(request: IncomingMessage): string {
  return urlOf(request).pathname.slice(1);
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://localhost');
}
