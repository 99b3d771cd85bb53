/** Rulesets, branch protection and the merge button: their refusals in GitHub's words, and who bypasses them. */

import type { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import { mintUserToken, mintWorkflowToken } from '../../identity/tokens.ts';
import { fnmatch } from '../../rules/fnmatch.ts';
import { appId, at, createTown, refusal, type Town } from '../world/town.ts';

/** A town with an administrator, a pull request by ada, and mira, who may merge. */
async function townWithPull(): Promise<{
  readonly town: Town;
  readonly admin: Octokit;
  readonly base: string;
  readonly head: string;
}> {
  const town = createTown();
  const base = await town.commit('main', { 'a.txt': 'one\n' });
  const head = await town.commit('ferry', { 'a.txt': 'two\n' });
  const { repo } = town.seeded;
  const row = town.world.state.repos[repo.id] ?? repo;
  const mira = Object.values(town.world.state.users).find(({ login }) => login === 'mira')?.id ?? 0;
  const ravi = Object.values(town.world.state.users).find(({ login }) => login === 'ravi')?.id ?? 0;
  town.world.state.repos[repo.id] = { ...row, collaborators: { ...row.collaborators, [ravi]: 'admin' } };
  expect(mira).toBeGreaterThan(0);
  await town
    .as(town.seeded.tokens.ada)
    .request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'T', head: 'ferry', base: 'main' });
  return { town, admin: town.as(mintUserToken(town.world, ravi)), base, head };
}

const conditions = (...include: string[]) => ({ ref_name: { include, exclude: [] } });
const merge = (octokit: Octokit, merge_method: 'merge' | 'squash' | 'rebase' = 'merge') =>
  octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...at, pull_number: 1, merge_method });
const review = (octokit: Octokit, event: 'APPROVE' | 'REQUEST_CHANGES') =>
  octokit.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
    ...at,
    pull_number: 1,
    event,
    body: 'so',
  });
const pullRequestRule = (required_approving_review_count: number, dismiss_stale_reviews_on_push = false) => ({
  type: 'pull_request' as const,
  parameters: {
    required_approving_review_count,
    dismiss_stale_reviews_on_push,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  },
});

describe('branch protection', () => {
  it('requires reviews and checks before the merge, and reports one missing condition at a time', async () => {
    const { town, admin, head } = await townWithPull();
    const mira = town.as(town.seeded.tokens.mira);
    const bot = town.asInstallation();
    const put = (contexts: string[], required_approving_review_count: number) =>
      admin.request('PUT /repos/{owner}/{repo}/branches/{branch}/protection', {
        ...at,
        branch: 'main',
        required_status_checks: { strict: false, contexts },
        enforce_admins: true,
        required_pull_request_reviews: { required_approving_review_count },
        restrictions: null,
      });
    await put(['ci'], 1);
    expect(await refusal(merge(mira))).toMatchObject({
      status: 405,
      message: 'At least 1 approving review is required by reviewers with write access.',
    });
    await review(mira, 'APPROVE');
    expect(await refusal(merge(mira))).toMatchObject({
      status: 405,
      message: 'Required status check "ci" is expected.',
    });
    const check = await bot.request('POST /repos/{owner}/{repo}/check-runs', {
      ...at,
      name: 'ci',
      head_sha: head,
      status: 'in_progress',
    });
    expect((await refusal(merge(mira))).message).toBe('Required status check "ci" is pending.');
    const end = (conclusion: 'failure' | 'success') =>
      bot.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        ...at,
        check_run_id: check.data.id,
        conclusion,
      });
    await end('failure');
    expect((await refusal(merge(mira))).message).toBe('Required status check "ci" is failing.');
    await put(['ci', 'docs', 'lint'], 1);
    expect((await refusal(merge(mira))).message).toBe(
      '3 of 3 required status checks have not succeeded: 1 failing, 2 expected.',
    );
    await put(['ci'], 1);
    await end('success');
    expect((await merge(mira)).data).toMatchObject({ merged: true });
  });

  it('rejects direct, forced and deleting pushes until it is removed', async () => {
    const { town, admin, base, head } = await townWithPull();
    const ada = town.as(town.seeded.tokens.ada);
    await admin.request('PUT /repos/{owner}/{repo}/branches/{branch}/protection', {
      ...at,
      branch: 'main',
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    });
    const move = (sha: string, force = false) =>
      ada.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/main', sha, force });
    expect(await refusal(move(head))).toMatchObject({ status: 422 });
    await admin.request('PUT /repos/{owner}/{repo}/branches/{branch}/protection', {
      ...at,
      branch: 'main',
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    expect((await move(head)).status).toBe(200);
    expect(await refusal(move(base, true))).toMatchObject({ status: 422 });
    const drop = () => ada.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/main' });
    expect(await refusal(drop())).toMatchObject({ status: 422 });
    await admin.request('DELETE /repos/{owner}/{repo}/branches/{branch}/protection', { ...at, branch: 'main' });
    expect((await move(base, true)).status).toBe(200);
  });
});

describe('a ruleset', () => {
  it('applies to everyone who is not on its bypass list, which may contain an App', async () => {
    const { town, admin, base, head } = await townWithPull();
    const bot = town.asInstallation();
    const rules = [{ type: 'update' }, { type: 'deletion' }, { type: 'non_fast_forward' }] as const;
    const name = 'logbook';
    await bot.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: 'refs/heads/ferrybot/logbook', sha: base });
    const { data: made } = await admin.request('POST /repos/{owner}/{repo}/rulesets', {
      ...at,
      name,
      enforcement: 'active',
      conditions: conditions('refs/heads/ferrybot/*'),
      rules: [...rules],
    });
    const move = (octokit: Octokit, sha: string, force = false) =>
      octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
        ...at,
        ref: 'heads/ferrybot/logbook',
        sha,
        force,
      });
    expect(await refusal(move(bot, head))).toMatchObject({
      status: 422,
      message: 'Repository rule violations found\n\nCannot update this protected ref.\n\n',
    });
    await admin.request('PUT /repos/{owner}/{repo}/rulesets/{ruleset_id}', {
      ...at,
      ruleset_id: made.id,
      name,
      enforcement: 'active',
      conditions: conditions('refs/heads/ferrybot/*'),
      rules: [...rules],
      bypass_actors: [{ actor_id: appId, actor_type: 'Integration', bypass_mode: 'always' }],
    });
    expect((await move(bot, head)).status).toBe(200);
    const ada = town.as(town.seeded.tokens.ada);
    expect((await refusal(move(ada, base, true))).status).toBe(422);
    expect(
      (
        await ada.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', { ...at, branch: 'ferrybot/logbook' })
      ).data.map(({ type }) => type),
    ).toEqual(['update', 'deletion', 'non_fast_forward']);
    const seen = async (octokit: Octokit) =>
      (await octokit.request('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ...at, ruleset_id: made.id })).data;
    expect(await seen(bot)).toMatchObject({ current_user_can_bypass: 'always' });
    expect(await seen(ada)).toMatchObject({ current_user_can_bypass: 'never' });
    expect(await seen(ada)).not.toHaveProperty('bypass_actors');
    expect(await seen(admin)).toHaveProperty('bypass_actors');
    await admin.request('DELETE /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ...at, ruleset_id: made.id });
    expect((await move(ada, base, true)).status).toBe(200);
  });

  it('rejects GitHub’s own Actions App on its bypass list, and applies to workflow tokens', async () => {
    const { town, admin, base, head } = await townWithPull();
    const wanted = {
      ...at,
      name: 'main',
      enforcement: 'active' as const,
      conditions: conditions('~DEFAULT_BRANCH'),
      rules: [{ type: 'update' as const }],
    };
    expect(
      await refusal(
        admin.request('POST /repos/{owner}/{repo}/rulesets', {
          ...wanted,
          bypass_actors: [{ actor_id: 15368, actor_type: 'Integration', bypass_mode: 'always' }],
        }),
      ),
    ).toMatchObject({
      status: 422,
      data: {
        errors: [
          { message: 'Actor GitHub Actions integration must be part of the ruleset source or owner organization' },
        ],
      },
    });
    await admin.request('POST /repos/{owner}/{repo}/rulesets', {
      ...wanted,
      bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
    });
    const run = { id: 1, repoId: town.seeded.repo.id } as Parameters<typeof mintWorkflowToken>[1];
    const workflow = town.as(mintWorkflowToken(town.world, run, { contents: 'write' }).token);
    const move = (octokit: Octokit, sha: string) =>
      octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/main', sha });
    expect((await refusal(move(workflow, head))).status).toBe(422);
    expect((await move(admin, head)).status).toBe(200);
    expect(base).not.toBe(head);
  });

  it('prevents updates and deletions of tags at any depth, but not new tags', async () => {
    const { town, admin, base, head } = await townWithPull();
    await admin.request('POST /repos/{owner}/{repo}/rulesets', {
      ...at,
      name: 'seals',
      target: 'tag',
      enforcement: 'active',
      conditions: conditions('refs/tags/ferry/**/*'),
      rules: [{ type: 'update' }, { type: 'deletion' }],
    });
    const bot = town.asInstallation();
    const ref = 'tags/ferry/daily/20261121/run-1';
    await bot.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: `refs/${ref}`, sha: base });
    expect(
      (await refusal(bot.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref, sha: head, force: true })))
        .message,
    ).toContain('Cannot update this protected ref');
    expect(
      (await refusal(bot.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref }))).message,
    ).toContain('Cannot delete this protected ref');
  });

  it('requires fresh approvals, checks of the right App, and an allowed merge method at the merge button', async () => {
    const { town, admin, head } = await townWithPull();
    const [ada, mira, bot] = [town.as(town.seeded.tokens.ada), town.as(town.seeded.tokens.mira), town.asInstallation()];
    await admin.request('POST /repos/{owner}/{repo}/rulesets', {
      ...at,
      name: 'main',
      enforcement: 'active',
      conditions: conditions('~DEFAULT_BRANCH'),
      rules: [
        {
          ...pullRequestRule(1, true),
          parameters: { ...pullRequestRule(1, true).parameters, allowed_merge_methods: ['squash'] },
        },
        {
          type: 'required_status_checks',
          parameters: {
            strict_required_status_checks_policy: true,
            required_status_checks: [{ context: 'ferrybot', integration_id: appId }],
          },
        },
      ],
    });
    await review(mira, 'APPROVE');
    // Anyone with write access can set a status of that name, but the rule requires it from the App.
    await ada.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
      ...at,
      sha: head,
      state: 'success',
      context: 'ferrybot',
    });
    expect((await refusal(merge(mira, 'squash'))).message).toContain('Required status check "ferrybot" is expected.');
    const pass = (head_sha: string) =>
      bot.request('POST /repos/{owner}/{repo}/check-runs', {
        ...at,
        name: 'ferrybot',
        head_sha,
        conclusion: 'success',
      });
    await pass(head);
    expect((await refusal(merge(mira))).message).toContain('must not be merged by merge');
    const contents = (branch: string) =>
      ada.request('PUT /repos/{owner}/{repo}/contents/{path}', {
        ...at,
        path: `${branch}.txt`,
        branch,
        message: 'm',
        content: 'eA==',
      });
    expect(await refusal(contents('main'))).toMatchObject({
      status: 409,
      message: 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
    });
    const { data: pushed } = await contents('ferry');
    await pass(pushed.commit.sha ?? '');
    expect((await refusal(merge(mira, 'squash'))).message).toContain('At least 1 approving review is required');
    await review(mira, 'APPROVE');
    expect((await merge(mira, 'squash')).data.merged).toBe(true);
  });

  it('is rejected if it contains a rule that is not enforced here', async () => {
    const { admin } = await townWithPull();
    const make = (rules: readonly object[]) =>
      admin.request('POST /repos/{owner}/{repo}/rulesets', {
        ...at,
        name: 'n',
        enforcement: 'active',
        conditions: conditions('~ALL'),
        rules: rules as never,
      });
    expect((await refusal(make([{ type: 'required_signatures' }]))).status).toBe(422);
    const owners = {
      ...pullRequestRule(1),
      parameters: { ...pullRequestRule(1).parameters, require_code_owner_review: true },
    };
    expect((await refusal(make([owners]))).status).toBe(422);
  });
});

describe('a ref pattern', () => {
  it.each([
    ['refs/tags/ferry/**', 'refs/tags/ferry/a', true],
    ['refs/tags/ferry/**', 'refs/tags/ferry/a/b', false],
    ['refs/tags/ferry/**/*', 'refs/tags/ferry/a/b/c', true],
    ['refs/tags/ferry/**/*', 'refs/tags/ferry/a', true],
    ['refs/heads/qa/*', 'refs/heads/qa/a/b', false],
    ['refs/heads/v?.x', 'refs/heads/v1.x', true],
    ['refs/heads/v?.x', 'refs/heads/v1ax', false],
  ])('%s and %s: %s', (pattern, ref, fits) => {
    expect(fnmatch(pattern).test(ref)).toBe(fits);
  });
});
