/** Pull requests and git: files, commits, reviews, merges, and refused ref moves. */

import { describe, expect, it } from 'vitest';
import { at, createTown, refusal, type Town } from '../world/town.ts';

async function withPull(
  town: Town,
): Promise<{ readonly number: number; readonly head: string; readonly base: string }> {
  const base = await town.commit('main', { 'daily.py': 'lr = 1\nsteps = 10\n', 'README.md': 'hello\n' }, 'Begin');
  const head = await town.commit('ferry', { 'daily.py': 'lr = 2\nsteps = 10\n', 'new.py': 'x\n' }, 'Raise the rate');
  const opened = await town
    .as(town.seeded.tokens.ada)
    .request('POST /repos/{owner}/{repo}/pulls', {
      ...at,
      title: 'Ferry of today',
      head: 'ferry',
      base: 'main',
      body: 'What and why',
    });
  return { number: opened.data.number, head, base };
}

describe('a pull request', () => {
  it('shows the files, patches and commits from git', async () => {
    const town = createTown();
    const { number, head, base } = await withPull(town);
    const bot = town.asInstallation();
    const pull = await bot.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: number });
    expect(pull.data).toMatchObject({
      changed_files: 2,
      additions: 2,
      deletions: 1,
      commits: 1,
      mergeable: true,
      head: { sha: head, ref: 'ferry' },
      base: { sha: base, ref: 'main' },
    });
    const files = await bot.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      ...at,
      pull_number: number,
    });
    expect(files.data.map((file) => [file.filename, file.status])).toEqual([
      ['daily.py', 'modified'],
      ['new.py', 'added'],
    ]);
    expect(files.data[0]?.patch).toBe('@@ -1,2 +1,2 @@\n-lr = 1\n+lr = 2\n steps = 10');
    const commits = await bot.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', {
      ...at,
      pull_number: number,
    });
    expect(commits.data.map((one) => [one.sha, one.author?.login])).toEqual([[head, 'ada']]);
    const diff = await bot.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...at,
      pull_number: number,
      mediaType: { format: 'diff' },
    });
    expect(String(diff.data)).toContain('diff --git a/daily.py b/daily.py\n--- a/daily.py\n+++ b/daily.py\n@@');
  });

  it('is refused without commits, for a second time, and from a missing branch', async () => {
    const town = createTown();
    await withPull(town);
    const open = (head: string) =>
      town
        .as(town.seeded.tokens.ada)
        .request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'x', head, base: 'main' });
    expect(JSON.stringify((await refusal(open('ferry'))).data)).toContain(
      'A pull request already exists for lab:ferry.',
    );
    expect(JSON.stringify((await refusal(open('main'))).data)).toContain('No commits between main and main');
    expect((await refusal(open('nowhere'))).data).toMatchObject({ errors: [{ field: 'head', code: 'invalid' }] });
  });

  it('is opened once if two requests arrive at the same time', async () => {
    const town = createTown();
    await town.commit('main', { 'daily.py': 'lr = 1\n' });
    await town.commit('twin', { 'daily.py': 'lr = 2\n' });
    const open = () =>
      town
        .as(town.seeded.tokens.ada)
        .request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'x', head: 'twin', base: 'main' });
    const outcomes = await Promise.allSettled([open(), open()]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(Object.values(town.world.state.issues)).toHaveLength(1);
  });

  it('follows its branch, and emits push and synchronize events', async () => {
    const town = createTown();
    const { number, head } = await withPull(town);
    const seen: string[] = [];
    town.world.bus.subscribe((event) => void seen.push(`${event.type}.${event.action ?? ''}`));
    const bot = town.asInstallation();
    const content = Buffer.from('y\n').toString('base64');
    const put = { ...at, path: 'new.py', message: 'Again', content, branch: 'ferry' };
    expect((await refusal(bot.request('PUT /repos/{owner}/{repo}/contents/{path}', put))).status).toBe(422);
    const wrong = { ...put, sha: head };
    expect((await refusal(bot.request('PUT /repos/{owner}/{repo}/contents/{path}', wrong))).status).toBe(409);
    const file = await bot.request('GET /repos/{owner}/{repo}/contents/{path}', {
      ...at,
      path: 'new.py',
      ref: 'ferry',
    });
    const sha = 'sha' in file.data ? file.data.sha : '';
    const written = await bot.request('PUT /repos/{owner}/{repo}/contents/{path}', { ...put, sha });
    expect(seen).toEqual(['push.', 'pull_request.synchronize']);
    const pull = await bot.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: number });
    expect(pull.data.head.sha).toBe(written.data.commit.sha);
  });

  it('can be approved by others, but not by its author', async () => {
    const town = createTown();
    const { number, head } = await withPull(town);
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const approve = { ...at, pull_number: number, event: 'APPROVE' } as const;
    expect((await refusal(town.as(town.seeded.tokens.ada).request(route, approve))).status).toBe(422);
    const review = await town.as(town.seeded.tokens.mira).request(route, approve);
    expect(review.data).toMatchObject({ state: 'APPROVED', commit_id: head, user: { login: 'mira' } });
    const dismiss = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
    const target = { ...at, pull_number: number, review_id: Number(review.data.id), message: 'The head moved' };
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(dismiss, target))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.ada).request(dismiss, target)).data.state).toBe('DISMISSED');
  });

  it.each(['merge', 'squash', 'rebase'] as const)('is merged by %s', async (merge_method) => {
    const town = createTown();
    const { number, head, base } = await withPull(town);
    await town.commit('main', { 'README.md': 'hello again\n' }, 'Meanwhile');
    const merge = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
    const wish = { ...at, pull_number: number, merge_method };
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(merge, wish))).status).toBe(403);
    const ada = town.as(town.seeded.tokens.ada);
    expect((await refusal(ada.request(merge, { ...wish, sha: base }))).status).toBe(409);
    // The test moved main without the API: the compare-and-set detects it.
    expect((await refusal(ada.request(merge, { ...wish, sha: head }))).status).toBe(409);
    const tip = (await town.world.gitOf(town.seeded.repo).refs('refs/heads/main')).get('refs/heads/main') ?? '';
    await ada.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
      ...at,
      ref: 'heads/main',
      sha: base,
      force: true,
    });
    await ada.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/main', sha: tip });
    const merged = await ada.request(merge, { ...wish, sha: head });
    const commit = await ada.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: merged.data.sha });
    expect(commit.data.parents.map((one) => one.sha)).toEqual(merge_method === 'merge' ? [tip, head] : [tip]);
    const file = await ada.request('GET /repos/{owner}/{repo}/contents/{path}', {
      ...at,
      path: 'daily.py',
      mediaType: { format: 'raw' },
    });
    expect(String(file.data)).toBe('lr = 2\nsteps = 10\n');
    const pull = await ada.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: number });
    expect(pull.data).toMatchObject({
      state: 'closed',
      merged: true,
      changed_files: 2,
      merge_commit_sha: merged.data.sha,
    });
  });

  it('with a conflict is not mergeable', async () => {
    const town = createTown();
    const { number } = await withPull(town);
    const ada = town.as(town.seeded.tokens.ada);
    const file = await ada.request('GET /repos/{owner}/{repo}/contents/{path}', { ...at, path: 'daily.py' });
    await ada.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      ...at,
      path: 'daily.py',
      message: 'Lower it',
      content: Buffer.from('lr = 0\nsteps = 10\n').toString('base64'),
      sha: 'sha' in file.data ? file.data.sha : '',
    });
    const pull = await ada.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: number });
    expect(pull.data).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
    const merge = ada.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...at, pull_number: number });
    expect((await refusal(merge)).status).toBe(405);
  });
});

describe('an empty repository', () => {
  it('gets its first commit with its first file (docs.github.com/rest/repos/contents: create or update a file)', async () => {
    const town = createTown();
    const ada = town.as(town.seeded.tokens.ada);
    const content = Buffer.from('hello\n').toString('base64');
    const path = 'README.md';
    const put = 'PUT /repos/{owner}/{repo}/contents/{path}';
    const first = await ada.request(put, { ...at, path, message: 'First', content });
    expect([first.status, first.data.commit.parents]).toEqual([201, []]);
    const onMissingBranch = ada.request(put, { ...at, path: 'b', message: 'B', content, branch: 'nowhere' });
    expect((await refusal(onMissingBranch)).status).toBe(404);
  });
});

describe('refs', () => {
  it('are created once, moved only forwards, and listed by prefix', async () => {
    const town = createTown();
    const first = await town.commit('main', { a: '1' });
    const second = await town.commit('main', { a: '2' });
    const bot = town.asInstallation();
    const ref = 'refs/ferrybot/logbook';
    expect((await bot.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref, sha: second })).status).toBe(201);
    const again = bot.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref, sha: second });
    expect(await refusal(again)).toMatchObject({ status: 422, message: 'Reference already exists' });
    const back = { ...at, ref: 'ferrybot/logbook', sha: first };
    const update = 'PATCH /repos/{owner}/{repo}/git/refs/{ref}';
    expect((await refusal(bot.request(update, back))).message).toBe('Update is not a fast forward');
    expect((await bot.request(update, { ...back, force: true })).data.object.sha).toBe(first);
    const found = await bot.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', { ...at, ref: 'ferrybot/' });
    expect(found.data.map((one) => one.ref)).toEqual([ref]);
  });

  it('reject workflow files from Apps without that permission', async () => {
    const town = createTown();
    await town.commit('main', { a: '1' });
    const path = '.github/workflows/evil.yml';
    const put = { ...at, path, message: 'x', content: Buffer.from('on: push').toString('base64') };
    const answer = await refusal(town.asInstallation().request('PUT /repos/{owner}/{repo}/contents/{path}', put));
    expect(answer.status).toBe(403);
    expect(answer.message).toContain('workflows');
    expect(
      (await town.as(town.seeded.tokens.ada).request('PUT /repos/{owner}/{repo}/contents/{path}', put)).status,
    ).toBe(201);
  });

  it('can be compared, listed by path, and read as trees', async () => {
    const town = createTown();
    const first = await town.commit('main', { 'experiments/daily.py': '1\n', 'lib/x.py': '1\n' }, 'one');
    const second = await town.commit('main', { 'lib/x.py': '2\n' }, 'two');
    const ada = town.as(town.seeded.tokens.ada);
    const compared = await ada.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...at,
      basehead: `${first}...main`,
    });
    expect(compared.data).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ filename: 'lib/x.py' }] });
    const log = await ada.request('GET /repos/{owner}/{repo}/commits', { ...at, path: 'experiments' });
    expect(log.data.map((one) => one.sha)).toEqual([first]);
    const tree = await ada.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      ...at,
      tree_sha: second,
      recursive: '1',
    });
    expect(tree.data.tree.map((entry) => entry.path)).toEqual([
      'experiments',
      'experiments/daily.py',
      'lib',
      'lib/x.py',
    ]);
  });
});
