/** The recorded head over real HTTP on loopback, its log socket included. */

import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { bytesOf, type RecordedRay } from './recorded-ray.ts';

export type ServedRay = { readonly address: string; readonly close: () => Promise<void> };

const logAnswer = z.object({ logs: z.string() });
const jobAnswer = z.object({ status: z.string() });
/** Ray sends ten lines or so a frame and looks again after a pause. */
const FRAME_CHARS = 1_000;
const TAIL_PAUSE_MS = 20;

/** Serves it on a port of its own. */
export async function serveRecordedRay(ray: RecordedRay): Promise<ServedRay> {
  const server = createServer((request, response) => {
    collect(request).then(
      (body) => respond(ray, request, body, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const path = pathOf(request);
    sockets.handleUpgrade(request, socket, head, (tail) => {
      const send = (text: string): void => tail.send(text);
      follow(ray, request, path.replace(/\/logs\/tail$/, ''), send, () => tail.readyState === tail.OPEN).then(
        () => tail.close(1000),
        () => tail.terminate(),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('a server without a port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
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

/** What the socket of a head does: the log from its beginning, what is new, and the end some time after the job's. */
async function follow(
  ray: RecordedRay,
  request: IncomingMessage,
  jobPath: string,
  send: (text: string) => void,
  isOpen: () => boolean,
): Promise<void> {
  const read = (path: string): unknown =>
    ray.answer(askedOf({ method: 'GET', headers: request.headers }, path, null)).body;
  for (let sent = 0; isOpen(); ) {
    const hasEnded = !/PENDING|RUNNING/.test(jobAnswer.parse(read(jobPath)).status);
    const log = logAnswer.safeParse(read(`${jobPath}/logs`));
    // A head that cannot read on closes in the ordinary way.
    if (!log.success) return;
    const { logs } = log.data;
    for (; sent < logs.length; sent += FRAME_CHARS) send(logs.slice(sent, sent + FRAME_CHARS));
    sent = logs.length;
    if (hasEnded) return;
    await sleep(TAIL_PAUSE_MS);
  }
}

function askedOf(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  path: string,
  body: Buffer | null,
): Parameters<RecordedRay['answer']>[0] {
  const { authorization } = request.headers;
  return {
    method: request.method ?? 'GET',
    path,
    headers: {
      authorization,
      'sec-fetch-mode': String(request.headers['sec-fetch-mode'] ?? '') || undefined,
    },
    body,
    ...(request instanceof IncomingMessage ? { query: urlOf(request).searchParams } : {}),
  };
}

function pathOf(request: IncomingMessage): string {
  return urlOf(request).pathname.slice(1);
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://localhost');
}
