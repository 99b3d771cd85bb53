/** The playground over real HTTP: one port, control endpoints, live events, a movable clock, and persistent state. */

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import { createOffsetClock } from '../../http/offset-clock.ts';
import { listen } from '../../http/server.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';
import { createStateFile } from '../../world/state-file.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(directory?: string) {
  const server = await listen(0);
  if (!server.ok) throw new Error(server.reason);
  const file = directory === undefined ? null : createStateFile(join(directory, 'state.json'));
  const kept = file === null ? null : await file.load();
  const clock = createOffsetClock();
  const world = createWorld({
    clock,
    gitStores: createMemoryStore,
    baseUrl: server.origin,
    ...(kept === null ? {} : { state: kept }),
    ...(file === null ? {} : { onChange: file.save }),
  });
  const seeded = kept === null ? seedWorld(world) : null;
  const bugs: unknown[] = [];
  server.serve({ world, clock, onBug: (error) => void bugs.push(error) });
  closers.push(server.close);
  /** A request by the user who started it. */
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.origin}${path}`, { ...init, headers: { authorization: `Bearer ${server.secret}` } });
  return { ...server, ask, world, clock, seeded, bugs };
}

const post = (url: string, token: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'playground-'));
  closers.push(() => rm(path, { recursive: true }));
  return path;
}

describe('the server', () => {
  it('serves the API with its headers, and the control endpoints', async () => {
    const { origin, ask, seeded } = await start();
    const made = await post(`${origin}/api/v3/repos/lab/ferries/issues`, seeded?.tokens.ada ?? '', { title: 'T' });
    expect(made.status).toBe(201);
    const first = await fetch(`${origin}/api/v3/repos/lab/ferries/issues/1`);
    const etag = first.headers.get('etag') ?? '';
    expect(((await first.json()) as { url: string }).url).toBe(`${origin}/api/v3/repos/lab/ferries/issues/1`);
    expect((await fetch(first.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const people = (await (await ask('/_playground/people')).json()) as readonly { login: string; role: string }[];
    expect(people.map((one) => [one.login, one.role])).toEqual([
      ['mira', 'maintainer'],
      ['ada', 'author'],
      ['ravi', 'reader'],
      ['sol', 'stranger'],
    ]);
    expect((await ask('/_playground/usage')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    expect((await fetch(`${origin}/api/v3/gists`)).status).toBe(501);
    expect(await (await ask('/_playground/unserved')).json()).toHaveLength(1);
  });

  it('accepts faults and moves its clock, and rejects invalid values', async () => {
    const { ask, world } = await start();
    const put = (path: string, body: unknown) =>
      ask(`/_playground/${path}`, { method: 'PUT', body: JSON.stringify(body) });
    const fault = { event: 'issues', seed: 3, rate: 0.5 };
    expect(await (await put('faults', { drop: fault })).json()).toEqual({
      drop: fault,
      faults: [],
      lately: [],
      struck: {},
    });
    expect(world.state.settings.drop).toEqual(fault);
    expect((await put('faults', { drop: 'some' })).status).toBe(422);
    const before = world.clock.now();
    expect((await put('clock', { advance_ms: 24 * 60 * 60 * 1000 })).status).toBe(200);
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(24 * 60 * 60 * 1000);
    expect((await put('clock', { advance_ms: -1 })).status).toBe(422);
  });

  it('sends every change to open pages, and closes although they are connected', async () => {
    const { origin, ask, seeded } = await start();
    const stream = await ask('/_playground/events');
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await post(`${origin}/api/v3/repos/lab/ferries/issues`, seeded?.tokens.ada ?? '', { title: 'T' });
    let text = '';
    while (!text.includes('data:')) text += (await reader?.read())?.value ?? '';
    expect(JSON.parse(/data: (.*)\n/.exec(text)?.[1] ?? '')).toMatchObject({
      type: 'issues',
      action: 'opened',
      number: 1,
    });
    await closers.pop()?.();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('answers only to its own host names, which prevents DNS rebinding', async () => {
    const { origin, secret } = await start();
    const authorization = `Bearer ${secret}`;
    const port = Number(new URL(origin).port);
    const ask = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request({
          host: '127.0.0.1',
          port,
          path: '/_playground/people',
          headers: { host, authorization },
        });
        sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject);
        sent.end();
      });
    expect(await ask(`127.0.0.1:${port}`)).toBe(200);
    expect(await ask(`github.localhost:${port}`)).toBe(200);
    expect(await ask(`rebound.example:${port}`)).toBe(421);
    expect(await ask('127.0.0.1.rebound.example')).toBe(421);
  });

  it('reports a port that is in use', async () => {
    const { origin } = await start();
    expect(await listen(Number(new URL(origin).port))).toEqual({ ok: false, reason: 'port-in-use' });
  });

  it('answers 500 for a bug of its own and reports the error', async () => {
    const { origin, world, bugs, seeded } = await start();
    world.bus.subscribe(() => {
      throw new Error('a listener broke');
    });
    expect(
      (await post(`${origin}/api/v3/repos/lab/ferries/issues`, seeded?.tokens.ada ?? '', { title: 'T' })).status,
    ).toBe(500);
    expect(bugs).toMatchObject([{ message: 'a listener broke' }]);
  });
});

describe('a persistent state', () => {
  it('contains everything that was acknowledged, and continues after a restart', async () => {
    const path = await directory();
    const { origin, seeded } = await start(path);
    const titles = Array.from({ length: 8 }, (_, index) => `T${index}`);
    const token = seeded?.tokens.ada ?? '';
    await Promise.all(titles.map((title) => post(`${origin}/api/v3/repos/lab/ferries/issues`, token, { title })));
    // The state that a process would leave if it were killed now.
    const left = JSON.parse(await readFile(join(path, 'state.json'), 'utf8')) as {
      issues: Record<string, { title: string }>;
    };
    expect(
      Object.values(left.issues)
        .map((one) => one.title)
        .toSorted(),
    ).toEqual(titles);
    expect(await readdir(path)).toEqual(['state.json']);
    // It contains all tokens, so other users of the machine must not be able to read it.
    expect((await stat(join(path, 'state.json'))).mode & 0o077).toBe(0);
    const again = await start(path);
    const issues = await fetch(`${again.origin}/api/v3/repos/lab/ferries/issues`);
    expect(await issues.json()).toHaveLength(8);
    expect((await post(`${again.origin}/api/v3/repos/lab/ferries/issues`, token, { title: 'next' })).status).toBe(201);
    expect(Object.keys(again.world.state.issues)).toHaveLength(9);
  });

  it('refuses to load a file of another format', async () => {
    const path = await directory();
    const file = createStateFile(join(path, 'state.json'));
    expect(await file.load()).toBeNull();
    await createStateFile(join(path, 'state.json')).save({ version: 2 } as never);
    await expect(file.load()).rejects.toThrow(/move it away/);
  });
});

describe('the clock', () => {
  it('wakes a sleeper when it jumps past the wake time', async () => {
    const clock = createOffsetClock(1000);
    const slept = clock.sleep(60_000);
    clock.advance(60_000);
    await slept;
    const stop = new AbortController();
    const waiting = clock.sleep(60_000, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });
});
