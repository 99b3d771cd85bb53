/** The git program with the API's tokens: the API reports what was pushed, and access needs permission. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { createProgramStore } from '../../git/store/program-store.ts';
import { createGitDoor } from '../../http/git-door.ts';
import { listen } from '../../http/server.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'git-door-'));
  closers.push(() => rm(folder, { recursive: true }));
  const bare = join(folder, 'ferries.git');
  const server = await listen(0);
  if (!server.ok) throw new Error(server.reason);
  closers.push(server.close);
  await execa('git', ['init', '--bare', '--initial-branch=main', bare]);
  const world = createWorld({
    clock: { now: () => Date.now(), sleep: async () => undefined },
    gitStores: () => createProgramStore({ directory: bare }),
    baseUrl: server.origin,
  });
  const { tokens } = seedWorld(world);
  const git = createGitDoor(world, { directoryOf: () => bare });
  const bugs: unknown[] = [];
  server.serve({ world, clock: null, git, onBug: (error) => void bugs.push(error) });
  const address = (token: string) => `${server.origin.replace('//', `//x-access-token:${token}@`)}/lab/ferries.git`;
  return { world, tokens, origin: server.origin, folder, address, bugs };
}

describe('git over HTTP', () => {
  it('accepts a push only with write access, and reports it in the API and on the bus', async () => {
    const { world, tokens, origin, folder, address, bugs } = await start();
    const emitted: string[] = [];
    world.bus.subscribe((event) => void emitted.push(`${event.type} by ${event.senderId} ${event.byTokenKind}`));
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
    expect(emitted).toEqual([]);
    expect((await run('push', address(tokens.ada), 'main')).exitCode).toBe(0);
    const ada = Object.values(world.state.users).find((user) => user.login === 'ada')?.id;
    expect(emitted).toEqual([`create by ${ada} user`, `push by ${ada} user`]);
    const { stdout } = await run('rev-parse', 'HEAD');
    const commits = await fetch(`${origin}/api/v3/repos/lab/ferries/commits`);
    expect(await commits.json()).toMatchObject([{ sha: stdout, author: { login: 'ada' } }]);
    expect((await execa('git', ['clone', `${origin}/lab/ferries.git`, join(folder, 'copy')])).exitCode).toBe(0);
    expect(bugs).toEqual([]);
  });

  it('clones fully, shallowly and partially, fetches refs of any name, and rejects a non-fast-forward push', async () => {
    const { tokens, folder, address, origin } = await start();
    const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
      (await execa('git', [...IDENTITY, ...args], { cwd })).stdout;
    const commit = async (work: string, text: string): Promise<string> => {
      await writeFile(join(work, 'daily.py'), text);
      await git(work, 'add', '.');
      await git(work, 'commit', '-q', '-m', text);
      return git(work, 'rev-parse', 'HEAD');
    };
    const clone = async (name: string, ...options: readonly string[]): Promise<string> => {
      await git(folder, 'clone', '-q', ...options, address(tokens.ada), name);
      return join(folder, name);
    };
    const first = join(folder, 'first');
    await execa('git', ['init', '-q', '--initial-branch=main', first]);
    await git(first, 'remote', 'add', 'origin', address(tokens.ada));
    const one = await commit(first, 'lr = 1');
    const two = await commit(first, 'lr = 2');
    await git(first, 'tag', '-a', '-m', 'Sealed', 'ferry/1');
    await git(first, 'push', '-q', 'origin', 'main', 'ferry/1', 'HEAD~1:refs/ferrybot/launch/x');

    expect(await git(await clone('whole'), 'log', '--format=%H')).toBe(`${two}\n${one}`);
    const shallow = await clone('shallow', '--depth=1');
    expect(await git(shallow, 'log', '--format=%H')).toBe(two);
    await git(shallow, 'fetch', '-q', '--unshallow', '--tags');
    expect(await git(shallow, 'rev-parse', 'ferry/1^{commit}', 'HEAD~1')).toBe(`${two}\n${one}`);
    const partial = await clone('partial', '--filter=blob:none', '--no-checkout');
    expect(await git(partial, 'rev-list', '--objects', '--all', '--missing=print')).toMatch(/^\?/m);
    expect(await git(partial, 'show', 'HEAD~1:daily.py')).toBe('lr = 1');
    await git(partial, 'fetch', '-q', 'origin', 'refs/ferrybot/*:refs/ferrybot/*');
    expect(await git(partial, 'rev-parse', 'refs/ferrybot/launch/x')).toBe(one);

    const late = await clone('late');
    const three = await commit(first, 'lr = 3');
    await git(first, 'push', '-q', 'origin', 'main', 'HEAD:refs/heads/topic');
    await commit(late, 'lr = 4');
    const pushed = await execa('git', ['push', 'origin', 'main'], { cwd: late, reject: false });
    expect(`${pushed.exitCode} ${pushed.stderr}`).toContain('[rejected]');
    const wanted = await fetch(`${origin}/api/v3/repos/lab/ferries/git/ref/heads/main`);
    expect(await wanted.json()).toMatchObject({ object: { sha: three } });
  });

  it('lets anyone fetch the head and merge refs of a pull request, and rejects a push to them', async () => {
    const { tokens, folder, address, origin } = await start();
    const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
      (await execa('git', [...IDENTITY, ...args], { cwd })).stdout;
    const work = join(folder, 'work');
    await execa('git', ['init', '-q', '--initial-branch=main', work]);
    await git(work, 'commit', '-q', '--allow-empty', '-m', 'Begin');
    await writeFile(join(work, 'topic.py'), 'lr = 2\n');
    await git(work, 'checkout', '-q', '-b', 'topic');
    await git(work, 'add', '.');
    await git(work, 'commit', '-q', '-m', 'Topic');
    await git(work, 'push', '-q', address(tokens.ada), 'main', 'topic');
    const opened = await fetch(`${origin}/api/v3/repos/lab/ferries/pulls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ada}` },
      body: JSON.stringify({ title: 'Topic', head: 'topic', base: 'main' }),
    });
    expect(opened.status).toBe(201);
    const guest = join(folder, 'guest');
    await git(folder, 'clone', '-q', `${origin}/lab/ferries.git`, guest);
    await git(guest, 'fetch', '-q', 'origin', 'refs/pull/1/*:refs/remotes/pr/*');
    const [head, base] = [await git(work, 'rev-parse', 'topic'), await git(work, 'rev-parse', 'main')];
    expect(await git(guest, 'rev-parse', 'pr/head', 'pr/merge^1', 'pr/merge^2')).toBe(`${head}\n${base}\n${head}`);
    const moved = await execa('git', ['push', address(tokens.ada), 'topic:refs/pull/1/head'], {
      cwd: work,
      reject: false,
    });
    expect(`${moved.exitCode} ${moved.stderr}`).toMatch(/^1 .*hidden ref/s);
  });
});

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'] as const;
