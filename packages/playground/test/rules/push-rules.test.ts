/** Protected branches and rulesets for pushes by the git program, and file names in git that break programs. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { createProgramStore } from '../../git/store/program-store.ts';
import { createGitDoor } from '../../http/git-door.ts';
import { listen } from '../../http/server.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';
import type { Ruleset } from '../../world/state-settings.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'push-rules-'));
  closers.push(() => rm(folder, { recursive: true }));
  const server = await listen(0);
  if (!server.ok) throw new Error(server.reason);
  closers.push(server.close);
  const bare = join(folder, 'ferries.git');
  await execa('git', ['init', '-q', '--bare', '--initial-branch=main', bare]);
  const store = createProgramStore({ directory: bare });
  const clock = { now: Date.now, sleep: async () => undefined };
  const world = createWorld({ clock, gitStores: () => store, baseUrl: server.origin });
  const app = { publicKeyPem: '', permissions: { contents: 'write' }, events: [], webhook: null } as const;
  const { tokens, repo } = seedWorld(world, { app });
  const bugs: unknown[] = [];
  const git = createGitDoor(world, { directoryOf: () => bare });
  server.serve({ world, clock: null, git, onBug: (error) => void bugs.push(error) });
  const work = join(folder, 'work');
  await execa('git', ['init', '-q', '--initial-branch=main', work]);
  const run = async (...args: readonly string[]) => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'];
    const { exitCode, stderr, stdout } = await execa('git', [...who, ...args], {
      cwd: work,
      reject: false,
      env: { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    });
    return { ok: exitCode === 0, err: stderr, out: stdout };
  };
  const commit = async (text: string) => {
    await writeFile(join(work, 'a.txt'), text);
    await run('add', '.');
    await run('commit', '-q', '-m', text);
  };
  const push = (token: string, ...args: readonly string[]) =>
    run('push', `${server.origin.replace('//', `//x:${token}@`)}/lab/ferries.git`, ...args);
  const row = Object.values(world.state.installations)[0];
  const bot = row === undefined ? '' : mintInstallationToken(world, row, row.permissions, null).token;
  return { world, repo, tokens, bot, run, commit, push, work, bugs, appId: row?.appId ?? 0, origin: server.origin };
}

describe('a push by the git program', () => {
  it('is checked per ref against branch protection and rulesets, which an App on the bypass list skips', async () => {
    const { world, repo, tokens, bot, run, commit, push, appId, bugs } = await start();
    await commit('one');
    expect((await push(tokens.ada, 'main', 'main:ferrybot/logbook')).ok).toBe(true);
    const ruleset: Ruleset = {
      id: 1,
      repoId: repo.id,
      name: 'logbook',
      target: 'branch',
      enforcement: 'active',
      include: ['refs/heads/ferrybot/*'],
      exclude: [],
      bypass: [{ actorId: appId, actorType: 'Integration', mode: 'always' }],
      rules: [{ type: 'update' }, { type: 'deletion' }],
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    world.state.rulesets[1] = ruleset;
    const protection = { branch: 'main', pushUserIds: null, requiredApprovals: 0, requiredChecks: [] };
    world.state.repos[repo.id] = { ...(world.state.repos[repo.id] ?? repo), protections: [protection] };

    await commit('two');
    const held = await push(tokens.ada, 'main', 'main:ferrybot/logbook', 'main:side');
    expect(held.ok).toBe(false);
    expect(held.err).toContain('GH013: Repository rule violations found: Cannot update this protected ref.');
    expect(held.err).toMatch(/\[remote rejected\] main -> ferrybot\/logbook/);
    // One refused ref does not prevent the others.
    expect(held.err).toMatch(/\[new branch\]\s+main -> side/);
    expect((await push(bot, 'main:ferrybot/logbook')).ok).toBe(true);
    expect((await push(tokens.ada, ':ferrybot/logbook')).ok).toBe(false);

    await run('commit', '-q', '--amend', '-m', 'rewritten');
    const rewritten = await push(tokens.ada, '--force', 'main');
    expect(rewritten.err).toContain('GH006: Protected branch update failed');
    expect((await push(tokens.ada, '--force', 'main:side')).ok).toBe(true);
    expect((await push(tokens.ada, ':main')).ok).toBe(false);
    expect(bugs).toEqual([]);
  });

  // docs.github.com/apps: `workflows` permission; the same file on another branch may be pushed (scopes, `workflow`).
  it('with a workflow file that is on no other branch is rejected for an App on any ref, but not for a person', async () => {
    const { world, tokens, bot, run, commit, push, work, bugs } = await start();
    const file = join(work, '.github', 'workflows', 'ci.yml');
    await mkdir(join(file, '..'), { recursive: true });
    const write = async (text: string) => {
      await writeFile(file, text);
      await commit(text);
    };
    await write('on: push');
    expect((await push(bot, 'main')).ok).toBe(false);
    expect((await push(tokens.ada, 'main')).ok).toBe(true);
    await commit('one');
    expect((await push(bot, 'main', 'main:side')).ok).toBe(true);
    await write('on: issue_comment');
    for (const ref of ['main', 'side', 'fresh', 'refs/tags/v1', 'refs/ferrybot/launch/x']) {
      const to = ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
      const refused = await push(bot, `main:${to}`);
      expect([ref, refused.ok, refused.err]).toEqual([
        ref,
        false,
        expect.stringContaining('without `workflows` permission'),
      ]);
    }
    expect((await push(tokens.ada, 'main:proposal')).ok).toBe(true);
    expect((await push(bot, 'main:refs/ferrybot/launch/x')).ok).toBe(true);
    await run('checkout', '-q', '--orphan', 'logbook');
    await run('rm', '-rfq', '.');
    await commit('entry');
    expect((await push(bot, 'logbook')).ok).toBe(true);
    expect(Object.keys(world.state.usage)).toContain('user:ada');
    expect(bugs).toEqual([]);
  });

  it('can contain unusual file names, which the API returns unchanged; git rejects .git, .. and .', async () => {
    const { tokens, run, push, work, bugs, origin } = await start();
    const names = [
      'a b.txt',
      'new\nline',
      'quo"te',
      'ümläut/ö.txt',
      '-rf',
      '$(id)',
      '%2e%2e',
      'tab\there',
      '💣',
      "it's",
    ];
    for (const name of names) {
      await mkdir(join(work, name, '..'), { recursive: true });
      await writeFile(join(work, name), name);
    }
    await run('add', '-A', '--', '.');
    await run('commit', '-q', '-m', 'Names');
    expect((await push(tokens.ada, 'main')).ok).toBe(true);
    for (const name of names) {
      const path = name.split('/').map(encodeURIComponent).join('/');
      const answer = await fetch(`${origin}/api/v3/repos/lab/ferries/contents/${path}`, {
        headers: { accept: 'application/vnd.github.raw' },
      });
      expect([name, answer.status, await answer.text()]).toEqual([name, 200, name]);
    }
    const { out: blob } = await run('hash-object', '-w', '--', 'a b.txt');
    for (const evil of ['.git', '..', '.']) {
      const made = await execa('git', ['mktree', '--missing'], { cwd: work, input: `100644 blob ${blob}\t${evil}\n` });
      const { out: sha } = await run('commit-tree', '-m', 'evil', made.stdout);
      expect([evil, (await push(tokens.ada, `${sha}:refs/heads/evil`)).ok]).toEqual([evil, false]);
    }
    expect(bugs).toEqual([]);
  });
});
