/**
 * The tunnel to a cluster: one for all calls, restarted when it died, and paused when it carries no traffic.
 */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { createTunnel, TUNNEL_REST_MS, TUNNEL_STARTS_MAX, type Tunnel } from '../../src/engines/ray/tunnel.ts';
import { stopIn } from '../support/capabilities.ts';
import { FORWARDER } from '../support/forwarder.ts';
import { readText } from '../support/log-text.ts';

type Note = {
  readonly pid: number;
  readonly home: string;
  readonly files: readonly string[];
  readonly env: readonly string[];
};

let folder: string;
let far: Server;
let near: number;
let nowMs: number;
let tunnel: Tunnel;
const notes = (): readonly Note[] => {
  const file = join(folder, 'notes');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
};
const answersAt = async (port: number): Promise<boolean> => {
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};
const open = (nearEnd: number, startTimeoutMs = 10_000): Tunnel =>
  createTunnel({
    command: [
      process.execPath,
      '-e',
      FORWARDER,
      String(nearEnd),
      String((far.address() as AddressInfo).port),
      join(folder, 'notes'),
    ],
    env: { PATH: process.env['PATH'] ?? '' },
    homeFiles: { 'cluster.pem': 'key' },
    temporaryDirectory: join(folder, 'homes'),
    startTimeoutMs,
    answers: () => answersAt(near),
    now: () => nowMs + performance.now(),
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-tunnel-'));
  far = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'));
  far.listen(0, '127.0.0.1');
  await once(far, 'listening');
  const spare = createServer().listen(0, '127.0.0.1');
  await once(spare, 'listening');
  near = (spare.address() as AddressInfo).port;
  spare.close();
  await once(spare, 'close');
  nowMs = 0;
});
afterEach(async () => {
  await tunnel.close();
  far.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('a tunnel', () => {
  it('is started once for concurrent calls, with a separate home and none of our environment', async () => {
    tunnel = open(near);
    expect(await Promise.all([tunnel.ensure(), tunnel.ensure(), tunnel.ensure()])).toEqual([null, null, null]);
    expect(await answersAt(near)).toBe(true);
    expect(notes()).toMatchObject([{ files: ['cluster.pem'], env: ['HOME', 'PATH'] }]);
    await tunnel.close();
    expect(await answersAt(near)).toBe(false);
    expect(readdirSync(join(folder, 'homes'))).toEqual([]);
  });

  it('is started again after it died', async () => {
    tunnel = open(near);
    expect(await tunnel.ensure()).toBeNull();
    process.kill(notes()[0]?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => answersAt(near)).toBe(false);
    await expect.poll(async () => [await tunnel.ensure(), await answersAt(near)]).toEqual([null, true]);
    expect(notes()).toHaveLength(2);
  });

  it('is not opened when another one already listens, and does not end that one', async () => {
    const other = open(near);
    await other.ensure();
    tunnel = open(near);
    expect(await tunnel.ensure()).toBeNull();
    await tunnel.close();
    expect(await answersAt(near)).toBe(true);
    expect(notes()).toHaveLength(1);
    await other.close();
  });

  it('that carries no traffic is tried a few times, then paused, and tried again later', async () => {
    tunnel = open(0, 600);
    for (let call = 0; call < TUNNEL_STARTS_MAX + 2; call += 1)
      expect(await tunnel.ensure()).toBe('nothing answers through the tunnel');
    expect(notes()).toHaveLength(TUNNEL_STARTS_MAX);
    nowMs += TUNNEL_REST_MS;
    expect(await tunnel.ensure()).toBe('nothing answers through the tunnel');
    expect(notes()).toHaveLength(TUNNEL_STARTS_MAX + 1);
  });

  it('reports a program that does not exist', async () => {
    tunnel = createTunnel({
      command: ['/nowhere/ssh'],
      env: {},
      homeFiles: {},
      temporaryDirectory: join(folder, 'homes'),
      startTimeoutMs: 5_000,
      answers: async () => false,
      now: () => performance.now(),
    });
    expect(await tunnel.ensure()).toBe('the tunnel ended before it carried anything');
  });
});

it('answers unknown without any request while the tunnel is down', async () => {
  tunnel = { ensure: async () => 'nothing answers through the tunnel', close: async () => undefined };
  const http = async (): Promise<never> => {
    throw new Error('asked');
  };
  const engine = createRestEngine({
    address: 'http://127.0.0.1:1',
    token: null,
    http,
    reach: () => tunnel.ensure(),
    sleep: async () => undefined,
  });
  const down = { kind: 'unknown', message: 'nothing answers through the tunnel' };
  expect(await engine.session()).toMatchObject(down);
  expect(await engine.observe('a', 'session_1')).toEqual(down);
  expect(await engine.observeMany?.([{ jobId: 'a', lastSession: null }])).toEqual([down]);
  expect(await engine.live?.()).toEqual({ kind: 'unknown', why: down.message });
  expect(await readText(engine, 'a', 5)).toEqual(down);
  expect(await stopIn(engine, 'a')).toEqual(down);
});
