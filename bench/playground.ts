/** The playground over HTTP with ten thousand comments in its store, beside `emulate` 0.12.2 in the same run; and its memory. */

import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEmulator } from 'emulate';
import { createMemoryStore } from '../packages/playground/git/store/memory-store.ts';
import { listen } from '../packages/playground/http/server.ts';
import { createWorld } from '../packages/playground/world/create-world.ts';
import { seedWorld } from '../packages/playground/world/seed.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const COMMENTS = 10_000;
const READS = 3_000;
const ROUNDS = 3;
const AT_ONCE = 8;
const MEMORY_REQUESTS = 100_000;
/** Caches are full by then; what grows later grows for ever. */
const WARM_REQUESTS = 20_000;

/** Where a GitHub listens, and one thread of it with ten thousand comments. */
type Site = { readonly base: string; readonly thread: string; readonly token: () => string };

/** Reads a second of both, as a ratio of the best of three rounds that take turns; heap after many requests. */
export async function measurePlayground(): Promise<readonly Result[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const ours = await openOurs();
  const theirs = await openTheirs(agent);
  try {
    const best = { ours: 0, theirs: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      best.ours = Math.max(best.ours, await readsPerSecond(agent, ours.site));
      best.theirs = Math.max(best.theirs, await readsPerSecond(agent, theirs.site));
    }
    return [
      resultWithBar('playground-reads-beside-emulate', best.ours / best.theirs, 'times its rate', '>=', 1),
      resultWithoutBar('playground-reads-10000-comments', best.ours, 'reads/s'),
      resultWithoutBar('emulate-reads-10000-comments', best.theirs, 'reads/s'),
      ...(await memory(agent, ours.site)),
    ];
  } finally {
    agent.destroy();
    await Promise.all([ours.close(), theirs.close()]);
  }
}

type Opened = { readonly site: Site; readonly close: () => Promise<void> };

async function openOurs(): Promise<Opened> {
  const listening = await listen(0);
  if (!listening.ok) throw new Error(`no port: ${listening.reason}`);
  // A second passes with each look, so that no limit of GitHub's is met: this measures work, not waiting.
  let nowMs = Date.UTC(2026, 10, 21);
  const clock = {
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    sleep: async () => undefined,
  };
  const world = createWorld({ clock, gitStores: () => createMemoryStore(), baseUrl: listening.origin });
  const { tokens, repo } = seedWorld(world);
  listening.serve({
    world,
    clock: null,
    onBug: (error) => {
      throw error;
    },
  });
  const base = `${listening.origin}/api/v3`;
  const headers = { authorization: `Bearer ${tokens.ada}` };
  const body = JSON.stringify({ title: 'A long thread' });
  const at = `${base}/repos/${repo.owner}/${repo.name}/issues`;
  const made = await world.fetch(new Request(at, { method: 'POST', headers, body }));
  if (!made.ok) throw new Error(`no thread: ${made.status}`);
  for (let count = 0; count < COMMENTS; count += 1) {
    const comment = JSON.stringify({ body: textOf(count) });
    const answer = await world.fetch(new Request(`${at}/1/comments`, { method: 'POST', headers, body: comment }));
    if (answer.status === 201) continue;
    // The hour of the content limit is over sooner here than anywhere.
    nowMs += 3_600_000;
    count -= 1;
  }
  return {
    site: { base, thread: `/repos/${repo.owner}/${repo.name}/issues/1`, token: () => tokens.ada },
    close: () => listening.close(),
  };
}

async function openTheirs(agent: Agent): Promise<Opened> {
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: { github: { users: [{ login: 'ada' }], repos: [{ owner: 'ada', name: 'ferries', auto_init: true }] } },
  });
  // Its hourly limit is counted by token, and any token is let in: each has its four thousand.
  let asked = 0;
  const token = (): string => {
    asked += 1;
    return `token-${Math.floor(asked / 4_000)}`;
  };
  const site: Site = { base: emulator.url, thread: '/repos/ada/ferries/issues/1', token };
  await ask(agent, site, 'POST', '/repos/ada/ferries/issues', { title: 'A long thread' });
  for (let count = 0; count < COMMENTS; count += 1)
    await ask(agent, site, 'POST', `${site.thread}/comments`, { body: textOf(count) });
  return { site, close: () => emulator.close() };
}

function textOf(count: number): string {
  return `Step ${count}: the loss fell a little further than the day before, and nothing else happened.`;
}

/** What a bot reads: the thread, its newest page, an old page. */
async function readsPerSecond(agent: Agent, site: Site): Promise<number> {
  const pages = Math.ceil(COMMENTS / 30);
  const paths = [site.thread, `${site.thread}/comments?per_page=30&page=${pages}`, `${site.thread}/comments?page=7`];
  const since = performance.now();
  await inParallel(READS, (index) => ask(agent, site, 'GET', paths[index % paths.length] ?? site.thread));
  return READS / ((performance.now() - since) / 1_000);
}

async function memory(agent: Agent, site: Site): Promise<readonly Result[]> {
  setFlagsFromString('--expose-gc');
  // The function exists only in a context that is made after the flag.
  const collect: unknown = runInNewContext('gc');
  const heapMb = (): number => {
    if (typeof collect === 'function') collect();
    return process.memoryUsage().heapUsed / 1_000_000;
  };
  const read = (count: number): Promise<void> =>
    inParallel(count, (index) => ask(agent, site, 'GET', `${site.thread}?n=${index % 50}`));
  await read(WARM_REQUESTS);
  const before = heapMb();
  await read(MEMORY_REQUESTS - WARM_REQUESTS);
  const after = heapMb();
  return [
    resultWithBar('playground-heap-growth-to-100000-requests', after - before, 'MB', '<=', 10),
    resultWithoutBar('playground-heap-after-100000-requests', after, 'MB'),
  ];
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** One request over a kept connection, its answer read to the end; anything but success is a broken measurement. */
async function ask(agent: Agent, site: Site, method: string, path: string, body?: object): Promise<void> {
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${site.token()}`,
    // GitHub answers nobody who does not say what program he is.
    'user-agent': 'a bench',
    ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${site.base}${path}`, { method, agent, headers }, (response) => {
      response.resume().once('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode < 300) resolve();
        else reject(new Error(`${method} ${path}: ${statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(text);
  });
}
