// The bot's git against real bare repositories: what it reads, who wins a race, and how a lost answer is
// handled.

import { chmodSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/domain/limits.ts';
import type { Sha } from '../../../src/domain/values.ts';
import { createGitProgram } from '../../../src/host/git/git-program.ts';
import { createPathMatcher } from '../../../src/settings/words.ts';
import {
  AT_MS,
  createBareRepository,
  createScratchFolder,
  environment,
  identity,
  pushFirstCommit,
  type Remote,
  sha,
} from './scratch-repository.ts';

const MAIN = 'refs/heads/main';
const LEFT_OUT = ['docs/', '*.pack', '/lib/deep/*.bin', 'tests/snapshot*'];

describe('a whole tree without excluded patterns', () => {
  const FILES = {
    'README.md': 'docs\n',
    'docs/log.md': 'one\n',
    'docsy/kept.md': 'kept\n',
    'lib/a.py': 'a = 1\n',
    'lib/docs/guide.md': 'guide\n',
    'lib/deep/one.bin': '1',
    'lib/deep/x/two.bin': '2',
    'data/big.pack': 'x',
    'tests/snapshots/a.txt': 'a',
  };

  const pushed = async (remote: Remote, ...commits: readonly Readonly<Record<string, string>>[]): Promise<Sha> => {
    const client = remote.client();
    let tip = await pushFirstCommit(client, commits[0] ?? {});
    for (const files of commits.slice(1)) {
      const message = Object.keys(files).join(' ');
      const outcome = await client.commitAndPush({
        ref: MAIN,
        expected: tip,
        parent: 'expected',
        files,
        message,
        atMs: AT_MS,
      });
      if (outcome.kind !== 'pushed') throw new Error(outcome.kind);
      tip = outcome.sha;
    }
    return tip;
  };

  it('has the id that git gives a commit without these files', async () => {
    const gone = ['docs/log.md', 'lib/docs/guide.md', 'lib/deep/one.bin', 'data/big.pack', 'tests/snapshots/a.txt'];
    const kept = Object.fromEntries(Object.entries(FILES).filter(([path]) => !gone.includes(path)));
    const [remote, other] = [await createBareRepository(), await createBareRepository()];
    const tip = await pushed(remote, FILES);
    await pushed(other, kept);
    const reader = remote.client();
    await reader.fetch();
    expect(await reader.treeId(tip, '.', createPathMatcher(LEFT_OUT))).toBe(
      await other.git('rev-parse', 'main^{tree}'),
    );
    expect(await reader.treeId(tip, '.')).toBe(await remote.git('rev-parse', 'main^{tree}'));
  });
});

describe('reading', () => {
  it('returns refs, files, ids and history of the remote', async () => {
    const remote = await createBareRepository();
    const writer = remote.client();
    const first = await pushFirstCommit(writer, {
      'lib/a.py': 'a = 1\n',
      'lib/deep/b.py': 'b = "é"\n',
      'README.md': '#\n',
    });
    const second = await writer.commitAndPush({
      ref: MAIN,
      expected: first,
      parent: 'expected',
      files: { 'lib/a.py': 'a = 2\n', 'README.md': null },
      message: 'change a\n\nwhy',
      atMs: AT_MS + 5_000,
    });
    if (second.kind !== 'pushed') throw new Error(second.kind);
    const reader = remote.client();
    await reader.fetch();
    expect(await reader.resolve(MAIN)).toBe(second.sha);
    expect(await reader.resolve('refs/heads/none')).toBeNull();
    expect(await reader.readText(second.sha, 'lib/deep/b.py')).toBe('b = "é"\n');
    expect(await reader.readText(second.sha, 'README.md')).toBeNull();
    expect(await reader.readText(second.sha, 'lib')).toBeNull();
    expect(await reader.readText(second.sha, 'lib/*.py')).toBeNull();
    expect(await reader.listFiles(second.sha, 'lib')).toEqual(['lib/a.py', 'lib/deep/b.py']);
    expect(await reader.listFiles(first, '')).toEqual(['README.md', 'lib/a.py', 'lib/deep/b.py']);
    expect(await reader.listFiles(first, 'nowhere')).toEqual([]);
    expect(await reader.treeId(second.sha, 'lib/deep')).toBe(await remote.git('rev-parse', 'main:lib/deep'));
    expect(await reader.treeId(second.sha, '')).toBe(await remote.git('rev-parse', 'main^{tree}'));
    expect(await reader.treeId(second.sha, 'gone')).toBeNull();
    expect(await reader.changedPaths(first, second.sha)).toEqual(['README.md', 'lib/a.py']);
    expect(await reader.mergeBase(first, second.sha)).toBe(first);
    const all = { from: second.sha, not: null, sinceMs: null, paths: [], limit: 10 };
    expect(await reader.log(all)).toEqual([
      { sha: second.sha, subject: 'change a', authorName: 'Example Lab', atMs: AT_MS + 5_000 },
      { sha: first, subject: 'first', authorName: 'Example Lab', atMs: AT_MS },
    ]);
    expect(await reader.log({ ...all, not: first })).toHaveLength(1);
    expect(await reader.log({ ...all, paths: ['lib/deep'] })).toMatchObject([{ sha: first }]);
    expect(await reader.log({ ...all, sinceMs: AT_MS + 1_000 })).toMatchObject([{ sha: second.sha }]);
    expect(await reader.log({ ...all, limit: 1 })).toHaveLength(1);
  });

  it('fetches no file before it is read, and drops refs that the remote deleted', async () => {
    const remote = await createBareRepository();
    const first = await pushFirstCommit(remote.client(), { big: 'x'.repeat(1000) });
    await remote.git('branch', 'extra', first);
    const directory = join(createScratchFolder(), 'mirror.git');
    const reader = remote.client({ directory });
    await reader.fetch();
    expect(await reader.resolve('refs/heads/extra')).toBe(first);
    await remote.git('branch', '-D', 'extra');
    await reader.fetch();
    expect(await reader.resolve('refs/heads/extra')).toBeNull();
    renameSync(remote.path, `${remote.path}.away`);
    await expect(reader.readText(first, 'big')).rejects.toMatchObject({ name: 'GitError', code: 'unreadable' });
    await expect(reader.fetch()).rejects.toMatchObject({ code: 'unreachable' });
    renameSync(`${remote.path}.away`, remote.path);
    expect(await reader.readText(first, 'big')).toBe('x'.repeat(1000));
  });

  it('reports unreadable for a missing commit and for a file that is not text', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    await pushFirstCommit(client, { a: 'a' });
    await expect(client.readText(sha('1'.repeat(40)), 'a')).rejects.toMatchObject({ code: 'unreadable' });
    await expect(client.mergeBase(sha('1'.repeat(40)), sha('2'.repeat(40)))).rejects.toMatchObject({
      code: 'unreadable',
    });
    const blob = join(createScratchFolder(), 'blob');
    writeFileSync(blob, Buffer.from([0x61, 0xff, 0x62]));
    const id = await remote.git('hash-object', '-w', blob);
    await remote.git('update-index', '--add', '--cacheinfo', `100644,${id},binary`);
    const tree = await remote.git('write-tree');
    const commit = sha(await remote.git('commit-tree', tree, '-m', 'binary'));
    await remote.git('update-ref', 'refs/heads/binary', commit);
    await client.fetch();
    await expect(client.readText(commit, 'binary')).rejects.toThrow('not UTF-8');
  });

  // threat T17
  it('reports unreadable for a file over the size limit', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { a: 'a' });
    const blob = join(createScratchFolder(), 'blob');
    writeFileSync(blob, Buffer.alloc(limits.logbookFileBytesMax + 1, 0x61));
    const id = await remote.git('hash-object', '-w', blob);
    await remote.git('update-index', '--add', '--cacheinfo', `100644,${id},large`);
    const commit = sha(await remote.git('commit-tree', await remote.git('write-tree'), '-m', 'large'));
    await remote.git('update-ref', 'refs/heads/large', commit);
    await client.fetch();
    await expect(client.readText(commit, 'large')).rejects.toMatchObject({ code: 'unreadable' });
    // Other files are still readable.
    expect(await client.readText(first, 'a')).toBe('a');
  });
});

describe('writing', () => {
  it('keeps all other files and the executable bit, and commits as the lab', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { 'run.sh': 'echo\n', kept: 'k' });
    await remote.git('read-tree', first);
    await remote.git(
      'update-index',
      '--cacheinfo',
      `100755,${await remote.git('rev-parse', `${first}:run.sh`)},run.sh`,
    );
    const withMode = sha(await remote.git('commit-tree', await remote.git('write-tree'), '-p', first, '-m', 'mode'));
    await remote.git('update-ref', MAIN, withMode);
    await client.fetch();
    const outcome = await client.commitAndPush({
      ref: MAIN,
      expected: withMode,
      parent: 'expected',
      files: { 'run.sh': 'echo 2\n', 'new file/ü': 'n' },
      message: 'more',
      atMs: AT_MS,
    });
    expect(outcome.kind).toBe('pushed');
    const listed = await remote.git('-c', 'core.quotePath=false', 'ls-tree', '-r', 'main');
    expect(listed).toMatch(/^100755 blob [0-9a-f]+\trun\.sh$/m);
    expect(listed).toMatch(/kept$/m);
    expect(listed).toMatch(/new file\/ü$/m);
    expect(await remote.git('log', '-1', '--format=%an <%ae> %cn <%ce> %at %B', 'main')).toBe(
      `Example Lab <lab@example.org> Example Lab <lab@example.org> ${AT_MS / 1000} more`,
    );
  });

  it('is rejected if the ref moved, was created, or was deleted, and then changes nothing', async () => {
    const remote = await createBareRepository();
    const [alice, bob] = [remote.client(), remote.client()];
    const first = await pushFirstCommit(alice, { a: '1' });
    await bob.fetch();
    const write = {
      ref: MAIN,
      expected: first,
      parent: 'expected' as const,
      files: { a: '2' },
      message: 'm',
      atMs: AT_MS,
    };
    const outcomes = await Promise.all([
      alice.commitAndPush(write),
      bob.commitAndPush({ ...write, files: { a: '3' } }),
    ]);
    expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(['pushed', 'rejected']);
    expect((await alice.commitAndPush({ ...write, expected: null })).kind).toBe('rejected');
    await remote.git('update-ref', '-d', MAIN);
    expect((await alice.commitAndPush(write)).kind).toBe('rejected');
    expect(await remote.git('for-each-ref')).toBe('');
  });

  it('distinguishes a rule of the remote from a lost race', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { a: '1' });
    const hook = join(remote.path, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "the disk is full" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const outcome = await client.commitAndPush({
      ref: MAIN,
      expected: first,
      parent: 'expected',
      files: { a: '2' },
      message: 'm',
      atMs: AT_MS,
    });
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('pre-receive hook declined') });
    expect(outcome).toMatchObject({ message: expect.stringContaining('the disk is full') });
  });

  it('checks after a lost answer: arrived, overtaken, or unknown', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { a: '1' });
    const write = {
      ref: MAIN,
      expected: first,
      parent: 'expected' as const,
      files: { a: '2' },
      message: 'm',
      atMs: AT_MS,
    };
    // The server accepts the push and dies before it answers.
    const hook = join(remote.path, 'hooks', 'post-receive');
    writeFileSync(hook, '#!/bin/sh\nkill -9 $PPID\n');
    chmodSync(hook, 0o755);
    const arrived = await client.commitAndPush(write);
    expect(arrived).toEqual({ kind: 'pushed', sha: sha(await remote.git('rev-parse', 'main')) });
    // It accepts the push, another push overtakes it, and it dies before it answers.
    const ours = sha(await remote.git('rev-parse', 'main'));
    writeFileSync(hook, `#!/bin/sh\ngit update-ref ${MAIN} ${first}\nkill -9 $PPID\n`);
    const overtaken = await client.commitAndPush({ ...write, expected: ours, files: { a: '5' } });
    expect(overtaken.kind).toBe('rejected');
    await remote.git('update-ref', MAIN, ours);
    writeFileSync(hook, '#!/bin/sh\nkill -9 $PPID\n');
    // The server dies before it accepts anything: the push may still arrive.
    renameSync(hook, join(remote.path, 'hooks', 'pre-receive'));
    const second = sha(await remote.git('rev-parse', 'main'));
    const lost = await client.commitAndPush({ ...write, expected: second, files: { a: '3' } });
    expect(lost.kind).toBe('unknown');
    expect(await remote.git('rev-parse', 'main')).toBe(second);
    renameSync(remote.path, `${remote.path}.away`);
    expect((await client.commitAndPush({ ...write, expected: second, files: { a: '4' } })).kind).toBe('unknown');
  });

  it('never moves a tag', async () => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { a: '1' });
    const tag = { name: 'v1', commit: first, message: 'sealed', atMs: AT_MS };
    const made = await client.pushTag(tag);
    expect(made.kind).toBe('pushed');
    expect(await remote.git('cat-file', '-p', 'v1')).toContain(
      'tagger Example Lab <lab@example.org> 1795251600 +0000\n\nsealed',
    );
    // Our own tag again, as after a lost answer, is ours; any other tag is foreign.
    expect(await client.pushTag(tag)).toEqual(made);
    expect(await client.pushTag({ ...tag, message: 'other' })).toEqual({ kind: 'exists', commit: first });
    await remote.git('tag', 'light', first);
    expect(await client.pushTag({ ...tag, name: 'light' })).toEqual({ kind: 'exists', commit: first });
  });

  it.each(['a', 'a/b', 'a/b/c/d', 'a/b/c/d/e'])('reports that %s blocks the name of a tag or branch', async (name) => {
    const remote = await createBareRepository();
    const client = remote.client();
    const first = await pushFirstCommit(client, { a: '1' });
    const tag = { name: 'a/b/c', commit: first, message: 'sealed', atMs: AT_MS };
    const ref = 'refs/heads/a/b/c';
    const branch = { ref, expected: null, parent: first, files: { a: '2' }, message: 'Two', atMs: AT_MS };
    const pushes = { tags: () => client.pushTag(tag), heads: () => client.commitAndPush(branch) } as const;
    for (const [kind, push] of Object.entries(pushes)) {
      const by = `refs/${kind}/${name}`;
      await remote.git('update-ref', by, first);
      const message = `${by} is there and leaves no room for refs/${kind}/a/b/c: delete it`;
      expect(await push()).toEqual({ kind: 'refused', message });
      await remote.git('update-ref', '-d', by);
      expect((await push()).kind).toBe('pushed');
    }
  });
});

describe('a mirror', () => {
  it('can be used after a crash left it locked or incomplete', async () => {
    const remote = await createBareRepository();
    const directory = join(createScratchFolder(), 'mirror.git');
    const client = remote.client({ directory });
    const first = await pushFirstCommit(client, { a: '1' });
    for (const name of ['config.lock', 'packed-refs.lock', 'refs/heads/main.lock']) {
      const path = join(directory, name);
      writeFileSync(path, '');
      utimesSync(path, 0, 0);
    }
    const again = remote.client({ directory });
    await remote.git('update-ref', '-d', MAIN);
    await again.fetch();
    expect(await again.resolve(MAIN)).toBeNull();
    expect(await again.readText(first, 'a')).toBe('1');
  });

  it('ignores the settings and hooks of the machine', async () => {
    const remote = await createBareRepository();
    const home = createScratchFolder();
    writeFileSync(
      join(home, '.gitconfig'),
      `[user]\n name = Somebody Else\n[core]\n hooksPath = ${home}\n[push]\n followTags = true\n`,
    );
    const hook = join(home, 'pre-push');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    const client = createGitProgram({
      directory: join(createScratchFolder(), 'm'),
      remoteUrl: `file://${remote.path}`,
      token: async () => null,
      environment: { ...environment, HOME: home },
    })(identity);
    await pushFirstCommit(client, { a: '1' });
    expect(await remote.git('log', '-1', '--format=%an', 'main')).toBe('Example Lab');
  });
});

describe('the token', () => {
  it('is sent to the remote as a header, and is in no file of the mirror, no message and no redirect', async () => {
    const seen: (string | undefined)[] = [];
    let redirectTo = '';
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      if (redirectTo === '') response.writeHead(401).end();
      else response.writeHead(302, { location: redirectTo }).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const port = (server.address() as AddressInfo).port;
    const directory = join(createScratchFolder(), 'm');
    const remoteUrl = `http://127.0.0.1:${port}/lab/models.git`;
    const client = createGitProgram({ directory, remoteUrl, token: async () => 'ghs_secret', environment })(identity);
    const basic = Buffer.from('x-access-token:ghs_secret').toString('base64');
    const request = { branches: ['refs/heads/main'] };
    const failure = await client.fetch(request).catch((error: unknown) => error);
    expect(seen[0]).toBe(`Basic ${basic}`);
    expect(String(failure)).toContain('git fetch');
    expect(String(failure)).not.toMatch(/ghs_secret|eC1hY2Nlc3/);
    seen.length = 0;
    redirectTo = `http://localhost:${port}/lab/models.git/info/refs?service=git-upload-pack`;
    await expect(client.fetch()).rejects.toMatchObject({ code: 'unreachable' });
    expect(seen).toHaveLength(1);
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(directory, name);
      if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toMatch(/ghs_secret|eC1hY2Nlc3/);
    }
    server.close();
  });
});
