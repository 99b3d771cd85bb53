/**
 * The real server as a process on the loopback, with clients that send larger or slower requests than GitHub
 * ever does.
 */

import { spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  SERVER_CONNECTIONS_MAX,
  WEBHOOK_BYTES_HELD_MAX,
  WEBHOOK_BYTES_MAX,
  WEBHOOK_TIMEOUT_MS,
} from '../../../src/app/server/webhook-server.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/app/cli/main.ts');
const SECRET = 'a webhook secret';
const PATH = '/api/github/webhooks';
const MEGABYTE = 1024 * 1024;

type Answer = { readonly status: number; readonly ms: number; readonly sentBytes: number };

let url = '';
let pid = 0;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-bodies-'));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      APP_ID: '1',
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: SECRET,
      // Nothing listens there: requests to GitHub fail, which does not matter here.
      GITHUB_API_URL: 'http://127.0.0.1:9',
      FERRYBOT_WORK_DIR: folder,
      FERRYBOT_STOP_WITH_STDIN: '1',
      PORT: '0',
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  pid = child.pid ?? 0;
  stop = async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(late);
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of child.stdout) {
    url = String(Object(JSON.parse(String(line))).url);
    break;
  }
  child.stdout.resume();
});

afterAll(() => stop());

/** A signed delivery as GitHub sends it. */
function honest(): Promise<Answer> {
  const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  return send({ body: [Buffer.from(body)], headers: { 'x-hub-signature-256': signature } });
}

function deliver(headers: Readonly<Record<string, string>>): ClientRequest {
  return request(`${url}${PATH}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': '1',
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
      ...headers,
    },
  });
}

/** Sends the pieces as fast as the server reads them, and stops at the answer. */
async function send(what: {
  readonly body: Iterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}): Promise<Answer> {
  const startedAt = performance.now();
  const sending = deliver(what.headers ?? {});
  let status = 0;
  let sentBytes = 0;
  let isAnswered = false;
  const isOver = new Promise<void>((resolve) => {
    sending.once('response', (response) => {
      status = response.statusCode ?? 0;
      response.resume();
      resolve();
    });
    // A server that closes the connection may cause a reset after its answer.
    sending.on('error', () => resolve());
  }).then(() => {
    isAnswered = true;
  });
  const feed = async (): Promise<void> => {
    for (const piece of what.body) {
      if (isAnswered) return;
      sentBytes += piece.length;
      const isTaken = sending.write(piece);
      if (!isTaken) await Promise.race([new Promise<void>((resolve) => sending.once('drain', resolve)), isOver]);
    }
    sending.end();
  };
  await Promise.all([feed(), isOver]);
  const ms = performance.now() - startedAt;
  sending.destroy();
  return { status, ms, sentBytes };
}

/** Yields the same megabyte each time, so that sending allocates no memory. */
function* megabytes(number: number): Iterable<Uint8Array> {
  const piece = Buffer.alloc(MEGABYTE, 0x20);
  for (let n = 0; n < number; n += 1) yield piece;
}

/** Peak resident memory of the server (proc(5), VmHWM). */
async function peakBytes(): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
}

function slowConnections(number: number, head: string): readonly Socket[] {
  const { port, hostname } = new URL(url);
  return Array.from({ length: number }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(head);
    return socket;
  });
}

const closedAll = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(sockets.map((one) => one.closed || new Promise((resolve) => one.once('close', resolve))));

describe('a body that is larger than any that GitHub sends', () => {
  // threat T199
  it('without a length is cut at 25 MB with 413, memory stays flat, and a valid delivery is answered', async () => {
    expect((await honest()).status).toBe(200);
    const before = await peakBytes();
    const flood = send({ body: megabytes(2_600), headers: { 'transfer-encoding': 'chunked' } });
    const meanwhile = await honest();
    const { status, sentBytes } = await flood;
    expect(status).toBe(413);
    expect(sentBytes).toBeLessThan(100 * MEGABYTE);
    expect(meanwhile.status).toBe(200);
    expect(meanwhile.ms).toBeLessThan(WEBHOOK_TIMEOUT_MS);
    expect((await peakBytes()) - before).toBeLessThan(150 * MEGABYTE);
  });

  it('is refused by its declared length before any byte is read', async () => {
    const { status, ms } = await send({ body: [], headers: { 'content-length': String(WEBHOOK_BYTES_MAX + 1) } });
    expect(status).toBe(413);
    expect(ms).toBeLessThan(5_000);
  });

  it('sent twenty times in parallel stays within the memory limit, and valid deliveries are answered', async () => {
    const before = await peakBytes();
    const floods = Array.from({ length: 20 }, () => send({ body: megabytes(24) }));
    const meanwhile = await honest();
    const answers = await Promise.all(floods);
    expect(answers.every(({ status }) => [0, 400, 401, 408, 413, 503].includes(status))).toBe(true);
    expect(meanwhile.status).toBe(200);
    expect(meanwhile.ms).toBeLessThan(WEBHOOK_TIMEOUT_MS);
    expect((await peakBytes()) - before).toBeLessThan(4 * WEBHOOK_BYTES_HELD_MAX);
  });

  it('is not read without a signature', async () => {
    const { status, sentBytes } = await send({ body: megabytes(200), headers: { 'x-hub-signature-256': 'none' } });
    expect([400, 401]).toContain(status);
    expect(sentBytes).toBeLessThan(60 * MEGABYTE);
  });
});

describe('a signed delivery with an impossible body or event', () => {
  const signed = (body: string, event: string): Promise<Answer> =>
    send({
      body: [Buffer.from(body)],
      headers: {
        'x-github-event': event,
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      },
    });

  it.each([
    ['null', 'ping'],
    ['[]', 'ping'],
    ['{}', '__proto__'],
    ['{}', 'constructor'],
  ])('is refused with 400: %s as %s', async (body, event) => {
    expect(await signed(body, event)).toMatchObject({ status: 400 });
    expect((await honest()).status).toBeLessThan(300);
  });
});

describe('slow connections', () => {
  it.each([
    ['that send nothing', ''],
    ['with headers that arrive byte by byte', `POST ${PATH} HTTP/1.1\r\nHost: a\r\nX-A: `],
    [
      'with a body that arrives byte by byte',
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-GitHub-Event: ping\r\nX-GitHub-Delivery: 1\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
  ])('%s, 200 of them, end at a timeout while a valid delivery is answered', async (_, head) => {
    const startedAt = performance.now();
    const slow = slowConnections(200, head);
    await sleep(200);
    const dripping = setInterval(() => {
      for (const socket of slow) if (!socket.destroyed && head !== '') socket.write('1\r\na\r\n');
    }, 1_000);
    const meanwhile = await honest();
    expect(meanwhile.status).toBe(200);
    expect(meanwhile.ms).toBeLessThan(WEBHOOK_TIMEOUT_MS);
    await closedAll(slow);
    clearInterval(dripping);
    expect(performance.now() - startedAt).toBeLessThan(2 * WEBHOOK_TIMEOUT_MS);
  });

  it('more of them than the server keeps push out the oldest of themselves, and never who comes now', async () => {
    const slow = slowConnections(SERVER_CONNECTIONS_MAX + 50, 'POST ');
    await sleep(500);
    const meanwhile = await honest();
    expect(meanwhile.status).toBe(200);
    expect(slow.filter((socket) => !socket.destroyed && !socket.closed).length).toBeLessThanOrEqual(
      SERVER_CONNECTIONS_MAX,
    );
    for (const socket of slow) socket.destroy();
  });
});
