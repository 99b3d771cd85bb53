/**
 * GitHub's rules for pull requests: who can open them, which lines a review can comment on, and who is the author of a
 * merge.
 */

import { describe, expect, it } from 'vitest';
import { requireRow } from '../../world/lookup.ts';
import type { BranchProtection } from '../../world/state.ts';
import { at, createTown, refusal, type Town } from '../world/town.ts';

const R = '/repos/{owner}/{repo}';
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

/** Ada's pull request 1: two commits on `ferry` that change line 10 of forty and add a file. */
async function opened(): Promise<{ readonly town: Town; readonly base: string; readonly head: string }> {
  const town = createTown();
  const base = await town.commit('main', { 'run.py': numbers(1, 40), 'logo.bin': '\0\u0001' }, 'Begin');
  await town.commit('ferry', { 'run.py': numbers(1, 40).replace('line 10\n', 'ten\n') }, 'Ten\n\nas a word');
  const head = await town.commit('ferry', { 'new.py': 'a\nb\n' }, 'New');
  await town
    .as(town.seeded.tokens.ada)
    .request(`POST ${R}/pulls`, { ...at, title: 'Ferry of today', head: 'ferry', base: 'main' });
  return { town, base, head };
}

const pull = { ...at, pull_number: 1 } as const;

describe('opening a pull request', () => {
  // docs.github.com/rest/pulls: "you must have write access to the head or the source branch".
  it('requires write access to the head or the base', async () => {
    const town = createTown();
    await town.commit('main', { 'a.txt': 'one\n' });
    await town.commit('ferry', { 'a.txt': 'two\n' });
    const wish = { ...at, title: 'T', head: 'ferry', base: 'main' };
    for (const who of ['sol', 'ravi'] as const)
      expect((await refusal(town.as(town.seeded.tokens[who]).request(`POST ${R}/pulls`, wish))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.ada).request(`POST ${R}/pulls`, wish)).status).toBe(201);
  });
});

describe('a review', () => {
  it('can comment only on lines in the diff, and is posted completely or not at all', async () => {
    const { town } = await opened();
    const mira = town.as(town.seeded.tokens.mira);
    const reviewWith = (comment: object) =>
      mira.request(`POST ${R}/pulls/{pull_number}/reviews`, {
        ...pull,
        event: 'COMMENT',
        comments: [
          { path: 'new.py', line: 1, body: 'fine' },
          { body: 'x', ...comment },
        ],
      } as never);
    for (const [comment, words] of [
      [{ path: 'run.py', line: 30 }, 'Pull request review thread line must be part of the diff'],
      [{ path: 'run.py' }, 'Pull request review thread line must be part of the diff'],
      [{ path: 'run.py', line: 14 }, 'Pull request review thread line must be part of the diff'],
      [
        { path: 'run.py', line: 10, start_line: 10 },
        'Pull request review thread start line must precede the end line.',
      ],
      [{ path: 'logo.bin', line: 1 }, 'Path could not be resolved'],
    ] as const)
      expect(await refusal(reviewWith(comment))).toMatchObject({ status: 422, data: { errors: [words] } });
    expect((await mira.request(`GET ${R}/pulls/{pull_number}/comments`, pull)).data).toEqual([]);
    await reviewWith({ path: 'run.py', line: 12, start_line: 9 });
    await reviewWith({ path: 'run.py', line: 10, side: 'LEFT' });
    const { data } = await mira.request(`GET ${R}/pulls/{pull_number}/comments`, pull);
    expect(data.map(({ path, start_line, line, side }) => [path, start_line, line, side])).toEqual([
      ['new.py', null, 1, 'RIGHT'],
      ['run.py', 9, 12, 'RIGHT'],
      ['new.py', null, 1, 'RIGHT'],
      ['run.py', null, 10, 'LEFT'],
    ]);
    expect(data[1]?.diff_hunk).toMatch(/^@@ -7,7 \+7,7 @@/);
  });

  it('belongs to a commit of the pull request', async () => {
    const { town, base, head } = await opened();
    const mira = town.as(town.seeded.tokens.mira);
    const approve = (commit_id: string) =>
      mira.request(`POST ${R}/pulls/{pull_number}/reviews`, { ...pull, event: 'APPROVE', commit_id });
    for (const sha of [base, '0'.repeat(40), 'ferry', '']) expect((await refusal(approve(sha))).status).toBe(422);
    expect((await approve(head)).data.commit_id).toBe(head);
  });

  it('is visible only to its author while pending, and there is at most one pending per author', async () => {
    const { town } = await opened();
    const emitted: string[] = [];
    town.world.bus.subscribe(({ type }) => void emitted.push(type));
    const [mira, ada] = [town.as(town.seeded.tokens.mira), town.as(town.seeded.tokens.ada)];
    const draftReview = () =>
      mira.request(`POST ${R}/pulls/{pull_number}/reviews`, {
        ...pull,
        body: 'draft',
        comments: [{ path: 'new.py', line: 1, body: 'why' }],
      });
    const { data } = await draftReview();
    expect([data.state, data.submitted_at]).toEqual(['PENDING', undefined]);
    expect(await refusal(draftReview())).toMatchObject({
      status: 422,
      data: { errors: ['User can only have one pending review per pull request'] },
    });
    for (const path of ['reviews', 'comments']) {
      const list = `GET /repos/lab/ferries/pulls/1/${path}`;
      expect([(await mira.request(list)).data.length, (await ada.request(list)).data.length]).toEqual([1, 0]);
    }
    const one = ada.request(`GET ${R}/pulls/{pull_number}/reviews/{review_id}`, {
      ...pull,
      review_id: Number(data.id),
    });
    expect((await refusal(one)).status).toBe(404);
    expect(emitted).toEqual([]);
  });
});

describe('an approval with dismissal of stale reviews', () => {
  it('is dismissed when the head moves, with a webhook', async () => {
    const { town } = await opened();
    protect(town, { requiredApprovals: 1, dismissStale: true });
    const bot = town.asInstallation();
    const state = async () => (await bot.request(`GET ${R}/pulls/{pull_number}`, pull)).data.mergeable_state;
    expect(await state()).toBe('blocked');
    await town
      .as(town.seeded.tokens.mira)
      .request(`POST ${R}/pulls/{pull_number}/reviews`, { ...pull, event: 'APPROVE' });
    expect(await state()).toBe('clean');
    const emitted: string[] = [];
    town.world.bus.subscribe(({ type, action }) => void emitted.push(`${type}.${action}`));
    const content = Buffer.from('c\n').toString('base64');
    const put = { ...at, path: 'later.py', message: 'Later', content, branch: 'ferry' };
    await bot.request(`PUT ${R}/contents/{path}`, put);
    expect(emitted).toEqual(['push.null', 'pull_request.synchronize', 'pull_request_review.dismissed']);
    const { data } = await bot.request(`GET ${R}/pulls/{pull_number}/reviews`, pull);
    expect(data.map((one) => one.state)).toEqual(['DISMISSED']);
    expect(await state()).toBe('blocked');
  });
});

describe('a required check', () => {
  it('counts only from the App that the protection names', async () => {
    const { town, head } = await opened();
    const mira = town.as(administrator(town));
    const appOf = requireRow(town.seeded.app, 'App').id;
    const wish = (app_id: number) => ({
      ...at,
      branch: 'main',
      required_status_checks: { strict: false, contexts: [], checks: [{ context: 'ferry', app_id }] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await mira.request(`PUT ${R}/branches/{branch}/protection`, wish(appOf));
    const { data } = await mira.request(`GET ${R}/branches/{branch}/protection`, { ...at, branch: 'main' });
    expect(data.required_status_checks?.checks).toEqual([{ context: 'ferry', app_id: appOf }]);
    const merge = () =>
      town.as(town.seeded.tokens.ada).request(`PUT ${R}/pulls/{pull_number}/merge`, { ...pull, sha: head });
    await town
      .as(town.seeded.tokens.ada)
      .request(`POST ${R}/statuses/{sha}`, { ...at, sha: head, state: 'success', context: 'ferry' });
    expect(await refusal(merge())).toMatchObject({ status: 405, message: expect.stringContaining('expected') });
    const green = { ...at, name: 'ferry', head_sha: head, conclusion: 'success' } as const;
    await town.asInstallation().request(`POST ${R}/check-runs`, green);
    expect((await merge()).data.merged).toBe(true);
  });

  it('is refused together with settings that are not enforced here', async () => {
    const { town } = await opened();
    const mira = town.as(administrator(town));
    for (const more of [{ lock_branch: true }, { required_linear_history: true }, { allow_force_pushes: true }]) {
      const wish = {
        ...at,
        branch: 'main',
        required_status_checks: null,
        enforce_admins: true,
        required_pull_request_reviews: null,
        restrictions: null,
        ...more,
      };
      expect((await refusal(mira.request(`PUT ${R}/branches/{branch}/protection`, wish))).status).toBe(422);
    }
  });
});

describe('a merge', () => {
  type Method = 'merge' | 'squash' | 'rebase';
  const done = async (town: Town, merge_method: Method) => {
    const mira = town.as(town.seeded.tokens.mira);
    const { data } = await mira.request(`PUT ${R}/pulls/{pull_number}/merge`, { ...pull, merge_method });
    const commit = async (ref: string) => (await mira.request(`GET ${R}/commits/{ref}`, { ...at, ref })).data;
    return { tip: await commit(data.sha ?? ''), commit };
  };
  const names = (one: { readonly commit: { readonly author: object | null; readonly committer: object | null } }) =>
    [one.commit.author, one.commit.committer].map((who) => Object(who).name);

  it('has the merger as author and GitHub as committer', async () => {
    const { town, base, head } = await opened();
    const { tip } = await done(town, 'merge');
    expect(names(tip)).toEqual(['Mira Okafor', 'GitHub']);
    expect(tip.parents.map(({ sha }) => sha)).toEqual([base, head]);
    expect(tip.commit.message).toBe('Merge pull request #1 from lab/ferry\n\nFerry of today');
  });

  it('by squash has the author of the pull request, and a list of its commits or the message of the only one', async () => {
    const { town, base } = await opened();
    const { tip } = await done(town, 'squash');
    expect(names(tip)).toEqual(['Ada Lindqvist', 'GitHub']);
    expect(tip.parents.map(({ sha }) => sha)).toEqual([base]);
    expect(tip.commit.message).toBe('Ferry of today (#1)\n\n* Ten\n\nas a word\n\n* New');

    const small = createTown();
    await small.commit('main', { 'a.txt': 'one\n' });
    await small.commit('ferry', { 'a.txt': 'two\n' }, 'Headline\n\nand why');
    await small
      .as(small.seeded.tokens.ada)
      .request(`POST ${R}/pulls`, { ...at, title: 'Ferry of today', head: 'ferry', base: 'main' });
    expect((await done(small, 'squash')).tip.commit.message).toBe('Headline (#1)\n\nand why');
  });

  it('by rebase keeps authors and messages, and has the merger as committer', async () => {
    const { town, base } = await opened();
    const { tip, commit } = await done(town, 'rebase');
    expect(names(tip)).toEqual(['Ada Lindqvist', 'Mira Okafor']);
    expect(tip.commit.message).toBe('New');
    const first = await commit(tip.parents[0]?.sha ?? '');
    expect([first.commit.message, first.parents[0]?.sha]).toEqual(['Ten\n\nas a word', base]);
  });
});

describe('a comparison with a fork', () => {
  it('uses the fork’s branch, not the branch of the same name here', async () => {
    const town = createTown();
    await town.commit('main', { 'a.txt': 'one\n' });
    const sol = town.as(town.seeded.tokens.sol);
    await sol.request(`POST ${R}/forks`, at);
    const content = Buffer.from('two\n').toString('base64');
    const put = { owner: 'sol', repo: 'ferries', path: 'b.txt', message: 'B', content };
    await sol.request(`PUT ${R}/contents/{path}`, put);
    const { data } = await sol.request(`GET ${R}/compare/{basehead}`, { ...at, basehead: 'main...sol:main' });
    expect([data.status, data.files?.map(({ filename }) => filename)]).toEqual(['ahead', ['b.txt']]);
    const withoutFork = sol.request(`GET ${R}/compare/{basehead}`, { ...at, basehead: 'main...ada:main' });
    expect((await refusal(withoutFork)).status).toBe(404);
  });
});

describe('a ref or a file', () => {
  it('cannot be deleted if it is the default branch', async () => {
    const { town } = await opened();
    const ada = town.as(town.seeded.tokens.ada);
    const remove = (ref: string) => ada.request(`DELETE ${R}/git/refs/{ref}`, { ...at, ref });
    expect((await refusal(remove('heads/main'))).status).toBe(422);
    expect((await remove('heads/ferry')).status).toBe(204);
  });

  // git-scm.com/docs/git-fsck: hasDot, hasDotdot, hasDotgit; as git refuses them at a push.
  it.each([
    '.git/config',
    'a/.GIT/hooks/x',
    '.gi\u200ct/x',
    'GIT~1/x',
    '.git./x',
    '../x',
    'a//b',
    './x',
    `${'x'.repeat(5_000)}`,
  ])('with the path %.20s cannot be committed', async (path) => {
    const { town } = await opened();
    const ada = town.as(town.seeded.tokens.ada);
    const content = Buffer.from('x').toString('base64');
    const tree = [{ path, mode: '100644', type: 'blob', content: 'x' }] as const;
    expect((await refusal(ada.request(`POST ${R}/git/trees`, { ...at, tree: [...tree] }))).status).toBe(422);
    const put = ada.request(`PUT /repos/lab/ferries/contents/${path.split('/').map(encodeURIComponent).join('/')}`, {
      message: 'x',
      content,
    });
    // A client may have normalized the dots away, which gives another path.
    const answer = await put.then(
      ({ data }) => JSON.stringify(data),
      () => 'refused',
    );
    expect(answer).not.toContain(JSON.stringify(path));
  });

  it('can be sent in base64 with line breaks', async () => {
    const { town } = await opened();
    const ada = town.as(town.seeded.tokens.ada);
    const content = `${Buffer.from('x'.repeat(90)).toString('base64').replaceAll(/.{60}/g, '$&\n')}\n`;
    const put = { ...at, path: 'wide.txt', message: 'Wide', content };
    expect((await ada.request(`PUT ${R}/contents/{path}`, put)).status).toBe(201);
    expect((await refusal(ada.request(`PUT ${R}/contents/{path}`, { ...put, content: 'no base64!' }))).status).toBe(
      422,
    );
  });
});

function protect(town: Town, rule: Partial<BranchProtection>): void {
  const { id } = town.seeded.repo;
  const repo = requireRow(town.world.state.repos[id], 'repository');
  const none = { branch: 'main', pushUserIds: null, requiredApprovals: 0, requiredChecks: [] };
  town.world.state.repos[id] = { ...repo, protections: [{ ...none, ...rule }] };
}

/** Mira, who becomes an administrator of the repository. */
function administrator(town: Town): string {
  const { id } = town.seeded.repo;
  const repo = requireRow(town.world.state.repos[id], 'repository');
  const mira = requireRow(
    Object.values(town.world.state.users).find(({ login }) => login === 'mira'),
    'mira',
  );
  town.world.state.repos[id] = { ...repo, collaborators: { ...repo.collaborators, [mira.id]: 'admin' } };
  return town.seeded.tokens.mira;
}
