/** A dashboard that never says nothing, and a script whose child outlives it: every question ends in its time all the same. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { openStandIn, type StandIn } from '../support/stand-in-scripts.ts';

const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Speaks HTTP by hand: whoever connects gets `first`, and then `drop` again and again. */
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

describe('a dashboard that sends a little again and again', () => {
  it.each([
    ['headers that never end', 'HTTP/1.1 200 OK\r\nx: ', 'y'],
    ['a status line that never ends', 'HTTP/1.1 500 ', 'n'],
    ['that it is still at work', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['an error drop by drop', 'HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n', 'e'],
    ['an error in chunks of one byte', 'HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\ne\r\n'],
    ['blanks before a log', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'],
  ])('keeps nobody waiting: %s', async (_, first, drop) => {
    const engine = await dripping(first, drop);
    const started = performance.now();
    expect((await readText(engine, 'job-1', 0)).kind).toBe('unknown');
    expect((await engine.observe('job-1', null)).kind).toBe('unknown');
    expect((await engine.session()).kind).toBe('unknown');
    expect(performance.now() - started).toBeLessThan(100_000);
  });
});

describe('a script whose child leaves its group and keeps its outputs', () => {
  let scripts: StandIn;
  const child = 'setInterval(() => {}, 1e6)';
  // As `ssh -f` and a ControlPersist master do: a session of its own, with the outputs of the one who started it.
  const source = (words: string, exit: string): string =>
    `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit', detached: true });
     require('node:fs').writeFileSync(process.argv[1] + '/pid', String(child.pid)); child.unref(); process.stdout.write(${JSON.stringify(words)}); ${exit}`;
  const open = async (words: string, exit: string): Promise<Engine> => {
    scripts = await openStandIn({
      timeoutMs: 5_000,
      submit: [process.execPath, '-e', source(words, exit), '{checkout}'],
    });
    closers.push(async () => {
      const pid = Number(await readFile(join(await scripts.settings.checkout(), 'pid'), 'utf8'));
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await scripts.close();
    });
    return scripts.engine();
  };

  const spec = (): JobSpec => ({
    submissionId: 'ferry-1',
    command: ['python3', 'a.py'],
    env: {},
    workingDirectory: scripts.tree,
    metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` },
  });

  it('has said what it said when it ended', async () => {
    const engine = await open('hello failed\n', '');
    const started = performance.now();
    expect(await submitTo(engine, spec())).toEqual({ kind: 'unknown', message: 'exit code 0: hello failed' });
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it('is ended in time when it hangs itself', async () => {
    const engine = await open('hello failed\n', 'setInterval(() => {}, 1e6);');
    const started = performance.now();
    expect(await submitTo(engine, spec())).toEqual({ kind: 'unknown', message: 'timed-out: hello failed' });
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});

function isAlive(pid: number): boolean {
  try {
    // What has ended and waits for its parent is not alive.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
