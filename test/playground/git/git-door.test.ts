/** Git itself, with the API's tokens: what is pushed is what the API then says, and nobody gets in without the right. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { createProgramStore } from '../../../playground/git/store/program-store.ts';
import { createGitDoor } from '../../../playground/http/git-door.ts';
import { listen } from '../../../playground/http/server.ts';
import { createWorld } from '../../../playground/world/create-world.ts';
import { seedWorld } from '../../../playground/world/seed.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'git-door-'));
  closers.push(() => rm(folder, { recursive: true }));
  const bare = join(folder, 'ferries.git');
  const heard = await listen(0);
  if (!heard.ok) throw new Error(heard.reason);
  closers.push(heard.close);
  await execa('git', ['init', '--bare', '--initial-branch=main', bare]);
  const world = createWorld({
    clock: { now: () => Date.now(), sleep: async () => undefined },
    gitStores: () => createProgramStore({ directory: bare }),
    baseUrl: heard.origin,
  });
  const { tokens } = seedWorld(world);
  const git = createGitDoor(world, { directoryOf: () => bare });
  const bugs: unknown[] = [];
  heard.serve({ world, clock: null, git, onBug: (error) => void bugs.push(error) });
  const address = (token: string) =>
    `${heard.origin.replace('//', `//x-access-token:${token}@`)}/lab/ferries.git`;
  return { world, tokens, origin: heard.origin, folder, address, bugs };
}

describe('git over HTTP', () => {
  it('pushes with the right to write, and the API and the bus say what git says', async () => {
    const { world, tokens, origin, folder, address, bugs } = await start();
    const heard: string[] = [];
    world.bus.subscribe(
      (event) => void heard.push(`${event.type} by ${event.senderId} ${event.byTokenKind}`),
    );
    const work = join(folder, 'work');
    const run = (...args: readonly string[]) =>
      execa('git', args, { cwd: work, reject: false, env: { GIT_TERMINAL_PROMPT: '0' } });
    await execa('git', ['init', '--initial-branch=main', work]);
    await writeFile(join(work, 'daily.py'), 'lr = 1\n');
    await run('add', '.');
    await run('-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example', 'commit', '-m', 'Begin');
    for (const token of [tokens.sol, tokens.ravi, 'ghp_unknown']) {
      expect((await run('push', address(token), 'main')).exitCode).not.toBe(0);
    }
    expect(heard).toEqual([]);
    expect((await run('push', address(tokens.ada), 'main')).exitCode).toBe(0);
    const ada = Object.values(world.state.users).find((user) => user.login === 'ada')?.id;
    expect(heard).toEqual([`create by ${ada} user`, `push by ${ada} user`]);
    const { stdout } = await run('rev-parse', 'HEAD');
    const commits = await fetch(`${origin}/api/v3/repos/lab/ferries/commits`);
    expect(await commits.json()).toMatchObject([{ sha: stdout, author: { login: 'ada' } }]);
    expect((await execa('git', ['clone', `${origin}/lab/ferries.git`, join(folder, 'copy')])).exitCode).toBe(
      0,
    );
    expect(bugs).toEqual([]);
  });
});
