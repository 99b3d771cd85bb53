/** The recorded head over real HTTP on loopback. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesOf, type RecordedRay } from './recorded-ray.ts';
import { type Served, serveHttp } from './serve-http.ts';

/** Serves it on a new port. */
export async function serveRecordedRay(ray: RecordedRay): Promise<Served> {
  return serveHttp((request, response) => {
    collect(request).then(
      (body) => respond(ray, request, body, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
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
    headers: { authorization, 'sec-fetch-mode': String(request.headers['sec-fetch-mode'] ?? '') || undefined },
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
