/** A dashboard that keeps sending a little data: every question still ends within its timeout. */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { readText } from '../support/log-text.ts';

const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Writes raw HTTP: each connection gets `first`, and then `drop` again and again. */
async function dripping(first: string, drop: string, periodMs = 50): Promise<Engine> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(first);
    const timer = setInterval(() => socket.write(drop), periodMs);
    socket.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });
  const place = server.address();
  const port = typeof place === 'object' && place !== null ? place.port : 0;
  return createRestEngine({
    address: `http://127.0.0.1:${port}`,
    token: 'right',
    requestTimeoutMs: 300,
    sleep: async () => undefined,
  });
}

describe('a dashboard that keeps sending small pieces', () => {
  it.each([
    ['headers that never end', 'HTTP/1.1 200 OK\r\nx: ', 'y'],
    ['a status line that never ends', 'HTTP/1.1 500 ', 'n'],
    ['a 102 status again and again', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['an error page in single bytes', 'HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n', 'e'],
    ['an error in chunks of one byte', 'HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\ne\r\n'],
    ['white space before a log', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'],
  ])('cannot delay an answer beyond the timeout: %s', async (_, first, drop) => {
    const engine = await dripping(first, drop);
    const started = performance.now();
    expect((await readText(engine, 'job-1', 0)).kind).toBe('unknown');
    expect((await engine.observe('job-1', null)).kind).toBe('unknown');
    expect((await engine.session()).kind).toBe('unknown');
    expect(performance.now() - started).toBeLessThan(100_000);
  });
});
