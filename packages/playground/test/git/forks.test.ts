/**
 * Forks (docs.github.com/pull-requests/collaborating-with-pull-requests/working-with-forks) and pull requests from
 * them.
 */

import { describe, expect, it } from 'vitest';
import { mintUserToken } from '../../identity/tokens.ts';
import { requireRow } from '../../world/lookup.ts';
import { file, job, stage } from '../actions/stage.ts';
import { at, createTown, refusal, type Town } from '../world/town.ts';

const fork = { owner: 'sol', repo: 'ferries' } as const;

/** Sol, who has no role, forks the repository and pushes one change to a branch with the same name as ours. */
async function forked(town: Town): Promise<void> {
  const sol = town.as(town.seeded.tokens.sol);
  await town.commit('main', { 'a.txt': 'one\n' });
  await sol.request('POST /repos/{owner}/{repo}/forks', at);
  await push(town, 'two');
}

async function push(town: Town, text: string): Promise<void> {
  const sol = town.as(town.seeded.tokens.sol);
  const path = 'a.txt';
  const there = await sol.request('GET /repos/{owner}/{repo}/contents/{path}', { ...fork, path });
  await sol.request('PUT /repos/{owner}/{repo}/contents/{path}', {
    ...fork,
    path,
    message: text,
    content: Buffer.from(`${text}\n`).toString('base64'),
    branch: 'main',
    sha: 'sha' in there.data ? String(there.data.sha) : '',
  });
}

describe('a fork', () => {
  it('belongs to its creator, names its parent, and copies no secrets, people or rules', async () => {
    const town = createTown({ secrets: { KEY: 'hush' } });
    await forked(town);
    const sol = town.as(town.seeded.tokens.sol);
    const { data } = await sol.request('GET /repos/{owner}/{repo}', fork);
    expect(data).toMatchObject({ fork: true, parent: { full_name: 'lab/ferries' }, permissions: { admin: true } });
    const row = Object.values(town.world.state.repos).find(({ owner }) => owner === 'sol');
    expect(row).toMatchObject({ secrets: {}, collaborators: {}, environments: [] });
    const mira = town.as(town.seeded.tokens.mira);
    const update = mira.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
      ...fork,
      ref: 'heads/main',
      sha: '0'.repeat(40),
    });
    expect((await refusal(update)).status).toBe(403);
  });

  it('has its own branches: a push to it does not change the parent', async () => {
    const town = createTown();
    await forked(town);
    const guest = town.as(town.seeded.tokens.ada);
    const read = async (where: typeof at | typeof fork): Promise<string> => {
      const branch = await guest.request('GET /repos/{owner}/{repo}/branches/{branch}', { ...where, branch: 'main' });
      return branch.data.commit.sha;
    };
    expect(await read(at)).not.toBe(await read(fork));
    const refs = await guest.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', { ...at, ref: 'heads/' });
    expect(refs.data.map(({ ref }) => ref)).toEqual(['refs/heads/main']);
  });

  it('can be the head of pull requests, which name it and follow its branch', async () => {
    const town = createTown();
    await forked(town);
    const sol = town.as(town.seeded.tokens.sol);
    const wish = { ...at, title: 'From afar', head: 'sol:main', base: 'main' };
    const { data: opened } = await sol.request('POST /repos/{owner}/{repo}/pulls', wish);
    expect(opened.head).toMatchObject({ label: 'sol:main', repo: { full_name: 'sol/ferries' } });
    expect(opened.base).toMatchObject({ label: 'lab:main', repo: { full_name: 'lab/ferries' } });
    expect(opened.changed_files).toBe(1);
    await push(town, 'three');
    const pull = { ...at, pull_number: opened.number };
    const { data: moved } = await sol.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', pull);
    expect(moved.head.sha).not.toBe(opened.head.sha);
    // Our own main moves on, too. It is not the head of this pull request, although it has the same name.
    await town.commit('main', { 'b.txt': 'b\n' });
    const again = await sol.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', pull);
    expect(again.data.head.sha).toBe(moved.head.sha);
    const merge = sol.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', pull);
    expect((await refusal(merge)).status).toBe(403);
  });
});

describe('a workflow for a pull request from a fork', () => {
  it('does not run if the repository is private (docs: repository settings, off by default)', async () => {
    const lab = stage();
    await lab.push({ 'a.txt': 'one\n', ...file('ci', `{on: pull_request, jobs: {test: {${job('{run: test}')}}}}`) });
    const repo = lab.repo();
    const ravi = requireRow(
      Object.values(lab.world.state.users).find(({ login }) => login === 'ravi'),
      'ravi',
    );
    lab.world.state.repos[repo.id] = { ...repo, private: true };
    const token = mintUserToken(lab.world, ravi.id);
    const asRavi = async (method: string, path: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${lab.world.baseUrl}/api/v3/repos${path}`;
      const request = new Request(url, { method, headers, body: JSON.stringify(body) });
      return (await lab.world.fetch(request)).status;
    };
    const content = Buffer.from('new\n').toString('base64');
    expect(await asRavi('POST', '/lab/model/forks', {})).toBe(202);
    expect(await asRavi('PUT', '/ravi/model/contents/new.txt', { message: 'New', content })).toBe(201);
    const wish = { title: 'T', head: 'ravi:main', base: 'main' };
    expect(await asRavi('POST', '/lab/model/pulls', wish)).toBe(201);
    await lab.clock.advance(1_000);
    expect(lab.runs()).toEqual([]);
  });

  it('waits for approval if the author is an outsider, then runs without secrets and with a read-only token', async () => {
    const lab = stage();
    await lab.push({
      'a.txt': 'one\n',
      ...file(
        'ci',
        `{on: pull_request, permissions: {contents: write}, jobs: {test: {${job(`{run: test, env: {K: "\${{ secrets.WEBHOOK }}"}}`)}}}}`,
      ),
    });
    const sol = Object.values(lab.world.state.users).find(({ login }) => login === 'sol');
    const token = mintUserToken(lab.world, sol?.id ?? 0);
    const asSol = async (method: string, path: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${lab.world.baseUrl}/api/v3/repos${path}`;
      return (await lab.world.fetch(new Request(url, { method, headers, body: JSON.stringify(body) }))).status;
    };
    expect(await asSol('POST', '/lab/model/forks', {})).toBe(202);
    const content = Buffer.from('new\n').toString('base64');
    expect(await asSol('PUT', '/sol/model/contents/new.txt', { message: 'New', content })).toBe(201);
    expect(lab.runs()).toEqual([]);
    expect(await asSol('POST', '/lab/model/pulls', { title: 'T', head: 'sol:main', base: 'main' })).toBe(201);
    await lab.clock.advance(1_000);
    const run = lab.runs()[0];
    expect([run?.event, run?.conclusion]).toEqual(['pull_request', 'action_required']);
    expect((await lab.api('POST', `/actions/runs/${run?.id}/approve`)).status).toBe(201);
    await lab.clock.advance(60_000);
    expect(lab.run(run?.id ?? 0).conclusion).toBe('success');
    expect(lab.ran).toEqual([expect.objectContaining({ what: 'test' })]);
    expect(lab.ran[0]?.env['K']).toBe('');
  });
});
