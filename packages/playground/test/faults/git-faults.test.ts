/** Faults of git's own requests, seen by git itself: they strike only the routes that they name. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fault, faultSchema } from '../../faults/fault.ts';
import { switchFaults } from '../../faults/switch-faults.ts';
import { commitFiles } from '../../git/store/memory-remote.ts';
import { createProgramStore } from '../../git/store/program-store.ts';
import { createGitDoor } from '../../http/git-door.ts';
import { createOffsetClock } from '../../http/offset-clock.ts';
import { listen } from '../../http/server.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'git-faults-'));
  const directory = join(folder, 'ferries.git');
  const server = await listen(0);
  if (!server.ok) throw new Error(server.reason);
  const store = createProgramStore({ directory });
  const clock = createOffsetClock();
  const world = createWorld({ clock, gitStores: () => store, baseUrl: server.origin });
  const permissions = { contents: 'write', metadata: 'read' } as const;
  const app = { publicKeyPem: '', permissions, events: [], webhook: null };
  const { tokens } = seedWorld(world, { app });
  const author = { name: 'Ada', email: 'ada@lab.example', atMs: Date.now() };
  const ref = 'refs/heads/main';
  await commitFiles(store, { ref, expected: null, files: { a: '1' }, message: 'Begin', author });
  const row = Object.values(world.state.installations)[0];
  if (row === undefined) throw new Error('the seed installed no App');
  const bot = mintInstallationToken(world, row, permissions, null).token;
  const git = createGitDoor(world, { directoryOf: () => directory });
  const bugs: unknown[] = [];
  server.serve({ world, clock, git, onBug: (error) => bugs.push(error) });
  const lsRemote = async (who: 'bot' | 'ada'): Promise<string> => {
    const token = who === 'bot' ? bot : tokens.ada;
    // As the bot and actions/checkout do: git by itself would first send the request without a token.
    const header = `http.extraHeader=Authorization: Bearer ${token}`;
    const address = `${server.origin}/lab/ferries.git`;
    const env = { GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' };
    const { exitCode, stderr } = await execa('git', ['-c', header, 'ls-remote', address], { env, reject: false });
    return exitCode === 0 ? 'fine' : stderr;
  };
  const close = async (): Promise<void> => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
    expect(bugs).toEqual([]);
  };
  return { world, lsRemote, close };
}

let site: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  site = await start();
});
afterAll(() => site.close());

const fault = (kind: Fault['kind'], route: string, durationMs = 0): Fault =>
  faultSchema.parse({ kind, rate: 1, route, durationMs });
const REFS = 'GET /lab/ferries.git/info/refs';

it('gives git a server error, and breaks its connection before or after git acted', async () => {
  switchFaults(site.world, [fault('server-error', REFS)]);
  expect(await site.lsRemote('bot')).toContain('503');
  for (const kind of ['lost-request', 'lost-answer'] as const) {
    switchFaults(site.world, [fault(kind, '* /lab/*.git/git-upload-pack')]);
    expect(await site.lsRemote('bot')).not.toBe('fine');
    expect(site.world.state.faultsStruck[kind]).toBeGreaterThanOrEqual(1);
  }
});

it('delays git’s answer without a change of its content', async () => {
  switchFaults(site.world, [fault('slow', REFS, 400)]);
  const since = performance.now();
  expect(await site.lsRemote('bot')).toBe('fine');
  expect(performance.now() - since).toBeGreaterThanOrEqual(395);
});

it('spares people, and git requests that the fault’s route does not name', async () => {
  switchFaults(site.world, [fault('server-error', REFS)]);
  expect(await site.lsRemote('ada')).toBe('fine');
  switchFaults(site.world, [fault('server-error', '*'), fault('lost-request', 'GET *')]);
  expect(await site.lsRemote('bot')).toBe('fine');
});
