/**
 * `--keep` and SIGKILL: a playground that is killed during many writes keeps everything that it acknowledged. Runs real
 * processes for seconds.
 */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playground-kept-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const about = z.object({ origin: z.string(), token: z.string() });

async function start() {
  const child = execa(process.execPath, [join(import.meta.dirname, 'kept-server.ts'), folder], {
    reject: false,
    buffer: false,
  });
  // One short line, which a pipe carries in one piece.
  const [line] = await once(child.stdout, 'data');
  return { child, ...about.parse(JSON.parse(String(line))) };
}
type Started = Awaited<ReturnType<typeof start>>;

/** A broken connection is not an answer; a 2xx answer is a promise. */
async function post({ origin, token }: Started, method: string, path: string, body: object): Promise<unknown> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) });
    const parsed: unknown = await answer.json();
    return answer.ok ? parsed : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function get({ origin, token }: Started, path: string): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const sign = path.includes('?') ? '&' : '?';
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${origin}/api/v3/repos/lab/ferries${path}${sign}per_page=100&page=${page}`, {
      headers,
    });
    const found = z.array(z.unknown()).parse(await answer.json());
    rows.push(...found);
    if (found.length < 100) return rows;
  }
}

type Promised = { readonly comments: string[]; readonly files: string[]; readonly refs: string[] };

/**
 * Writes as fast as possible, in several parallel loops, until the server stops answering; records what was promised.
 */
async function hammer(server: Started, round: number, promised: Promised): Promise<void> {
  const api = '/api/v3/repos/lab/ferries';
  await post(server, 'POST', `${api}/issues`, { title: `Round ${round}` });
  const talk = async (line: number): Promise<void> => {
    for (let count = 0; count < 18; count += 1) {
      const body = `round ${round} line ${line} comment ${count}`;
      if ((await post(server, 'POST', `${api}/issues/1/comments`, { body })) === null) return;
      promised.comments.push(body);
    }
  };
  const write = async (): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      const path = `r${round}/${count}.txt`;
      const change = { message: 'm', content: 'eA==' };
      if ((await post(server, 'PUT', `${api}/contents/${path}`, change)) === null) return;
      promised.files.push(path);
    }
  };
  const push = async (): Promise<void> => {
    const work = join(folder, `work-${round}`);
    const { host } = new URL(server.origin);
    const address = `http://x:${server.token}@${host}/lab/ferries.git`;
    const git = (...args: string[]) =>
      execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@lab.example', ...args], {
        cwd: work,
        reject: false,
        env: { GIT_TERMINAL_PROMPT: '0' },
      });
    if ((await execa('git', ['clone', '-q', address, work], { reject: false })).exitCode !== 0) return;
    for (let count = 0; count < 20; count += 1) {
      await writeFile(join(work, 'pushed.txt'), `${round} ${count}\n`);
      await git('add', '.');
      await git('commit', '-q', '-m', `Push ${round} ${count}`);
      const ref = `refs/heads/pushed/${round}-${count}`;
      if ((await git('push', '-q', 'origin', `HEAD:${ref}`)).exitCode !== 0) return;
      promised.refs.push(ref.slice('refs/heads/'.length));
    }
  };
  await Promise.all([talk(1), talk(2), write(), push()]);
}

it('keeps everything that it acknowledged, even if it is killed during writes', async () => {
  const comments: string[] = [];
  const files: string[] = [];
  const refs: string[] = [];
  for (const [round, enough] of [1, 4, 8].entries()) {
    const server = await start();
    const promised: Promised = { comments: [], files: [], refs: [] };
    // Kill it during the writes: after one write of each kind was promised, and while more are in flight.
    const watching = setInterval(() => {
      const { length } = promised.comments;
      if (length >= enough && promised.files.length > 0 && promised.refs.length > 0) server.child.kill('SIGKILL');
    }, 5);
    await hammer(server, round, promised);
    clearInterval(watching);
    server.child.kill('SIGKILL');
    expect((await server.child).signal).toBe('SIGKILL');
    comments.push(...promised.comments);
    files.push(...promised.files);
    refs.push(...promised.refs);
  }
  const server = await start();
  const named = z.object({ body: z.string() });
  const kept = (await get(server, '/issues/comments')).map((row) => named.parse(row).body);
  expect(comments.filter((one) => !kept.includes(one))).toEqual([]);
  const branches = (await get(server, '/branches')).map((row) => z.object({ name: z.string() }).parse(row).name);
  expect(refs.filter((one) => !branches.includes(one))).toEqual([]);
  for (const path of files) {
    const answer = await fetch(`${server.origin}/api/v3/repos/lab/ferries/contents/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
  }
  expect([comments.length > 2, files.length > 2, refs.length > 2]).toEqual([true, true, true]);
  expect(await post(server, 'POST', '/api/v3/repos/lab/ferries/issues', { title: 'And on' })).not.toBeNull();
  server.child.kill('SIGKILL');
  await server.child;
});
