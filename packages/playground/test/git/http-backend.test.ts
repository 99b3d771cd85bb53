/** A real git client against the playground's git over HTTP. */

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isGitRequest } from '../../git/smart-http/http-backend.ts';
import type { Sha } from '../../git/store/git-store.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { temporaryFolder, writeCommit } from './store-pair.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: GitServer;
let first: Sha;
let tip: Sha;

beforeEach(async () => {
  folder = await temporaryFolder();
  server = await startGitServer(folder.path);
  first = await writeCommit(server.store, { 'README.md': 'one\n' }, [], 1_760_000_000);
  tip = await writeCommit(server.store, { 'README.md': 'two\n', 'lib/a.py': 'a = 1\n' }, [first], 1_760_000_060);
  await server.store.updateRef({ ref: 'refs/heads/main', sha: tip });
});

afterEach(async () => {
  expect(server.failures).toEqual([]);
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const zeros = '0'.repeat(40);

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await server.git(cwd, ...args);
  expect(code, `git ${args.join(' ')}: ${err}`).toBe(0);
  return out;
}

async function clone(name: string, token: string, ...options: readonly string[]): Promise<string> {
  await git(folder.path, 'clone', '-q', ...options, server.url(token), name);
  return join(folder.path, name);
}

async function commit(work: string, file: string, content: string): Promise<Sha> {
  await writeFile(join(work, file), content);
  await git(work, 'add', '.');
  await git(work, 'commit', '-q', '-m', `Write ${file}`);
  return git(work, 'rev-parse', 'HEAD');
}

describe('fetching', () => {
  it('clones the contents of the store', async () => {
    const work = await clone('all', 'reader');
    expect(await git(work, 'rev-parse', 'HEAD', 'HEAD^')).toBe(`${tip}\n${first}`);
    expect(await readFile(join(work, 'lib/a.py'), 'utf8')).toBe('a = 1\n');
    expect(await git(folder.path, 'ls-remote', server.url())).toContain(`${tip}\trefs/heads/main`);
    expect(await git(folder.path, 'ls-remote', server.url().replace(/\.git$/, ''))).toContain(tip);
  });

  it('omits blobs and history on request, and sends them later', async () => {
    const partial = await clone('partial', 'reader', '--filter=blob:none', '--no-checkout');
    const missing = await git(partial, 'rev-list', '--objects', '--all', '--missing=print');
    expect(missing.split('\n').filter((line) => line.startsWith('?'))).toHaveLength(3);
    expect(await git(partial, 'show', 'HEAD~1:README.md')).toBe('one');
    const shallow = await clone('shallow', 'reader', '--depth=1');
    expect(await git(shallow, 'log', '--format=%H')).toBe(tip);
    await git(shallow, 'fetch', '-q', '--unshallow');
    expect(await git(shallow, 'log', '--format=%H')).toBe(`${tip}\n${first}`);
  });

  it('fetches a commit by its id, and refs of any name', async () => {
    const lonely = await writeCommit(server.store, { x: 'x' }, [], 1);
    await server.store.updateRef({ ref: 'refs/ferrybot/run-1', sha: first });
    const work = await clone('ids', 'reader', '--no-checkout');
    await git(work, 'fetch', '-q', 'origin', lonely);
    await git(work, 'fetch', '-q', 'origin', 'refs/ferrybot/*:refs/ferrybot/*');
    expect(await git(work, 'rev-parse', 'FETCH_HEAD', 'refs/ferrybot/run-1')).toBe(`${first}\n${first}`);
    expect(await git(work, 'cat-file', '-t', lonely)).toBe('commit');
  });

  it('accepts a compressed request', async () => {
    const body = '0014command=ls-refs\n0001001aref-prefix refs/heads/0000';
    const answer = await fetch(`${server.url()}/git-upload-pack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-git-upload-pack-request',
        'content-encoding': 'gzip',
        'git-protocol': 'version=2',
      },
      body: gzipSync(body),
    });
    expect(await answer.text()).toContain(`${tip} refs/heads/main`);
  });
});

describe('access', () => {
  it('requires a token for a push, as password, user name or bearer, and rejects others with 401, 403 or 404', async () => {
    const door = `${server.url()}/info/refs?service=git-receive-pack`;
    const challenge = await fetch(door);
    expect([challenge.status, challenge.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="GitHub"']);
    const status = async (authorization: string): Promise<number> =>
      (await fetch(door, { headers: { authorization } })).status;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    expect(await status('Bearer writer')).toBe(200);
    expect(await status(basic('x-access-token:writer'))).toBe(200);
    expect(await status(basic('writer:'))).toBe(200);
    expect(await status(basic('x:wrong'))).toBe(401);
    expect(await status(basic('x:reader'))).toBe(403);
    expect(await status(basic('x:blocked'))).toBe(404);
    const dumb = await fetch(`${server.url('')}/HEAD`.replace('anyone:@', ''));
    expect(dumb.status).toBe(404);
  });

  it('is limited to git’s own URLs', () => {
    const belongs = (method: string, url: string): boolean => isGitRequest({ method, url });
    expect(belongs('GET', '/lab/model.git/info/refs?service=git-upload-pack')).toBe(true);
    expect(belongs('POST', '/lab/model/git-receive-pack')).toBe(true);
    expect(belongs('GET', '/lab/model/git-receive-pack')).toBe(false);
    expect(belongs('GET', '/lab/model.git/info/refs')).toBe(false);
    expect(belongs('GET', '/lab/model/issues/1')).toBe(false);
    expect(belongs('GET', '/lab/../info/refs?service=git-upload-pack')).toBe(false);
    expect(belongs('GET', '/api/v3/repos/lab/model')).toBe(false);
  });

  it('is refused for a push with a wrong token or a read-only one', async () => {
    const work = await clone('denied', 'reader');
    await commit(work, 'new', '1');
    expect((await server.git(work, 'push', '-q')).err).toContain('403');
    const wrong = await server.git(work, 'push', '-q', server.url('wrong'), 'main');
    expect(wrong.err).toContain('Authentication failed');
    expect((await server.git(work, 'push', server.url('blocked'), 'main')).err).toContain('not found');
    expect((await server.store.refs()).get('refs/heads/main')).toBe(tip);
    expect(server.pushes).toEqual([]);
  });
});

describe('pushing', () => {
  it('moves the branch and reports the moved ref', async () => {
    const work = await clone('push', 'writer');
    const mine = await commit(work, 'new', '1');
    await git(work, 'push', '-q');
    expect((await server.store.refs()).get('refs/heads/main')).toBe(mine);
    expect((await server.store.diff(tip, mine)).map(({ path }) => path)).toEqual(['new']);
    expect(server.pushes).toEqual([
      { owner: 'lab', repo: 'model', token: 'writer', updates: [{ ref: 'refs/heads/main', before: tip, after: mine }] },
    ]);
  });

  it('creates, moves and deletes several refs of any kind in one push', async () => {
    const work = await clone('refs', 'writer');
    await git(work, 'tag', '-a', '-m', 'sealed', 'ferry/1');
    const tag = await git(work, 'rev-parse', 'ferry/1');
    await git(work, 'push', '-q', 'origin', 'ferry/1', 'HEAD~1:refs/ferrybot/a/logbook', 'HEAD:refs/heads/side');
    expect(await server.store.readTag(tag)).toMatchObject({ name: 'ferry/1', object: tip });
    await git(work, 'push', '-q', 'origin', 'HEAD:refs/ferrybot/a/logbook', ':refs/heads/side');
    expect(server.pushes.map(({ updates }) => updates)).toEqual([
      [
        { ref: 'refs/ferrybot/a/logbook', before: null, after: first },
        { ref: 'refs/heads/side', before: null, after: tip },
        { ref: 'refs/tags/ferry/1', before: null, after: tag },
      ],
      [
        { ref: 'refs/ferrybot/a/logbook', before: first, after: tip },
        { ref: 'refs/heads/side', before: tip, after: null },
      ],
    ]);
  });

  it('rejects a non-fast-forward push unless it is forced, and always a push to refs/pull', async () => {
    const work = await clone('behind', 'writer');
    const theirs = await writeCommit(server.store, { 'README.md': 'three\n' }, [tip], 1_760_000_120);
    await server.store.updateRef({ ref: 'refs/heads/main', sha: theirs });
    const mine = await commit(work, 'new', '1');
    const refused = await server.git(work, 'push');
    expect(refused.err).toMatch(/rejected.*fetch first/);
    const stale = await server.git(work, 'push', `--force-with-lease=main:${tip}`);
    expect(stale.err).toContain('stale info');
    const hidden = await server.git(work, 'push', 'origin', 'HEAD:refs/pull/1/head');
    expect(hidden.err).toContain('deny updating a hidden ref');
    expect(server.pushes).toEqual([]);
    await git(work, 'push', '-q', '--force');
    expect(server.pushes.map(({ updates }) => updates)).toEqual([
      [{ ref: 'refs/heads/main', before: theirs, after: mine }],
    ]);
  });

  it('lets one of two concurrent pushes win and reports only that one', async () => {
    const works = await Promise.all([clone('race-a', 'writer'), clone('race-b', 'writer')]);
    const shas = await Promise.all(works.map((work, index) => commit(work, `new-${index}`, '1')));
    const codes = await Promise.all(works.map(async (work) => (await server.git(work, 'push')).code));
    expect(codes.toSorted()).toEqual([0, 1]);
    const won = shas[codes.indexOf(0)];
    expect(server.pushes.flatMap(({ updates }) => updates)).toEqual([
      { ref: 'refs/heads/main', before: tip, after: won },
    ]);
  });

  it('accepts a large push in chunks', async () => {
    const work = await clone('large', 'writer');
    const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * i * 31 + (i >> 7)) & 255));
    await writeFile(join(work, 'weights.bin'), noise);
    await git(work, 'add', '.');
    await git(work, 'commit', '-q', '-m', 'Weights');
    await git(work, '-c', 'http.postBuffer=65536', '-c', 'core.compression=0', 'push', '-q');
    expect(server.pushes).toHaveLength(1);
  });
});

/** A push that deletes a branch, as raw bytes, so that a test can disconnect at any time. */
function deletion(url: string, ref: string, sha: Sha): string {
  const command = `${sha} ${zeros} ${ref}\0report-status delete-refs`;
  const body = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`;
  const head = [
    `POST ${new URL(url).pathname}/git-receive-pack HTTP/1.1`,
    'Host: localhost',
    'Authorization: Bearer writer',
    'Content-Type: application/x-git-receive-pack-request',
    `Content-Length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

describe('a client that disconnects', () => {
  const ref = 'refs/heads/gone';
  const branch = async (): Promise<Sha | undefined> => (await server.store.refs()).get(ref);

  it('after git accepted the push does not undo it, and the push is reported', async () => {
    await server.store.updateRef({ ref, sha: first });
    const release = join(folder.path, 'release');
    const slow = join(folder.path, 'slow-git');
    await writeFile(
      slow,
      `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { status } = spawnSync('git', process.argv.slice(2), { stdio: 'inherit' });
const wait = new Int32Array(new SharedArrayBuffer(4));
while (process.argv[2] === 'http-backend' && !existsSync(${JSON.stringify(release)})) Atomics.wait(wait, 0, 0, 10);
process.exit(status);
`,
    );
    await chmod(slow, 0o755);
    await using held = await startGitServer(folder.path, slow);
    const socket = connect(Number(new URL(held.url()).port), '127.0.0.1');
    socket.write(deletion(held.url(), ref, first));
    await vi.waitFor(async () => expect(await branch()).toBeUndefined(), { timeout: 120_000, interval: 50 });
    socket.destroy();
    expect(held.pushes).toEqual([]);
    await writeFile(release, '');
    await vi.waitFor(() => expect(held.pushes).toHaveLength(1), { timeout: 120_000, interval: 20 });
    expect(held.pushes[0]?.updates).toEqual([{ ref, before: first, after: null }]);
    expect(held.failures).toEqual([]);
  });

  it('in the middle of a push changes nothing and does not block the next push', async () => {
    await server.store.updateRef({ ref, sha: first });
    const socket = connect(Number(new URL(server.url()).port), '127.0.0.1');
    await new Promise((sent) => socket.write(deletion(server.url(), ref, first).slice(0, -6), sent));
    await new Promise((later) => setTimeout(later, 150));
    socket.destroy();
    const work = await clone('after', 'writer');
    await git(work, 'push', '-q', 'origin', 'HEAD:refs/heads/next');
    expect(await branch()).toBe(first);
    expect(server.pushes.map(({ updates }) => updates)).toEqual([
      [{ ref: 'refs/heads/next', before: null, after: tip }],
    ]);
  });
});

it('answers 500 and reports the cause when the git program is missing', async () => {
  await using broken = await startGitServer(folder.path, join(folder.path, 'no-such-git'));
  expect((await fetch(`${broken.url()}/info/refs?service=git-upload-pack`)).status).toBe(500);
  expect(String(broken.failures[0])).toContain('no-such-git');
});
