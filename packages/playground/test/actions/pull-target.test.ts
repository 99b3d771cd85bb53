// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** `pull_request_target` since 2025-12-08 (GitHub changelog 2025-11-07), and what actions/checkout refuses in it. */

import { expect, it } from 'vitest';
import { findUnsafeCheckout } from '../../actions/runner/unsafe-checkout.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import { file, job, type Stage, stage } from './stage.ts';

const SEEN = 'run ${{ github.event_name }} ${{ github.ref }} ${{ github.sha }} ${{ github.base_ref }}';
const triggered = file(
  'label',
  `{on: pull_request_target, permissions: {contents: write}, jobs: {a: {${job(`{run: "${SEEN}", env: {K: "\${{ secrets.WEBHOOK }}"}}`, 'environment: cluster,')}}}}`,
);

it('runs the default branch’s file at its tip with secrets, even if the pull request has a conflict', async () => {
  const lab = stage();
  await lab.push({ ...triggered, 'a.txt': 'one' });
  await lab.push({ ...file('label', 'on: push\njobs: {}'), 'a.txt': 'theirs' }, { branch: 'topic' });
  const tip = await lab.push({ 'a.txt': 'ours' });
  await lab.actions.idle();
  const before = lab.runs().length;
  await lab.pullRequest('topic');
  await lab.actions.idle();
  expect((await lab.api('GET', '/pulls/1')).body).toMatchObject({ mergeable: false });
  expect(lab.runs().slice(before)).toMatchObject([
    { event: 'pull_request_target', conclusion: 'success', headSha: tip, headBranch: 'topic', pullNumbers: [1] },
  ]);
  expect(lab.ran.map(({ what }) => what)).toEqual([`run pull_request_target refs/heads/main ${tip} main`]);
  expect(lab.ran[0]?.env).toMatchObject({ K: 'hush-hush-42', GITHUB_HEAD_REF: 'topic' });
});

it('does not run for a pull request that a workflow token opened', async () => {
  const lab = stage();
  await lab.push(triggered);
  await lab.push({ 'b.txt': 'new' }, { branch: 'topic' });
  await lab.pullRequest('topic', 'workflow');
  await lab.actions.idle();
  expect(lab.runs()).toEqual([]);
});

it('runs for an outsider’s fork with secrets, so checkout refuses the fork’s code', async () => {
  const lab = stage();
  await lab.push({ 'a.txt': 'one\n', ...triggered });
  const fork = await asSol(lab);
  expect(await fork('POST', '/lab/model/forks', {})).toBe(202);
  const content = Buffer.from('new\n').toString('base64');
  expect(await fork('PUT', '/sol/model/contents/new.txt', { message: 'New', content })).toBe(201);
  expect(await fork('POST', '/lab/model/pulls', { title: 'T', head: 'sol:main', base: 'main' })).toBe(201);
  await lab.actions.idle();
  const [run] = lab.runs();
  expect(run).toMatchObject({ event: 'pull_request_target', conclusion: 'success' });
  expect(lab.ran[0]?.env['K']).toBe('hush-hush-42');
  expect((await lab.api('GET', `/actions/runs/${run?.id}`)).body).toMatchObject({
    repository: { full_name: 'lab/model' },
    head_repository: { full_name: 'sol/model' },
  });
  const payload = run?.payload ?? null;
  const head = Reflect.get(Object(Reflect.get(Object(payload), 'pull_request')), 'head');
  const sha = String(Reflect.get(Object(head), 'sha'));
  const wish = { repository: 'lab/model', ref: '', commit: null };
  const refused = /^Refusing to check out fork pull request code from a 'pull_request_target' workflow/;
  for (const unsafe of [
    { ...wish, repository: 'Sol/model' },
    { ...wish, ref: 'refs/pull/1/merge' },
    { ...wish, ref: 'refs/pull/1/head' },
    { ...wish, ref: sha, commit: sha.toUpperCase() },
  ])
    expect(findUnsafeCheckout('pull_request_target', payload, unsafe)).toMatch(refused);
  expect(findUnsafeCheckout('pull_request_target', payload, { ...wish, ref: 'main' })).toBeNull();
  expect(findUnsafeCheckout('issue_comment', payload, { ...wish, ref: 'refs/pull/1/head' })).toBeNull();
});

it('refuses the checkout in a workflow_run after a fork’s pull request, but not after a push', () => {
  const after = (event: string, head: number) => ({
    repository: { id: 1 },
    workflow_run: {
      event,
      head_sha: 'a'.repeat(40),
      head_commit: { id: 'b'.repeat(40) },
      head_repository: { id: head, full_name: 'sol/model' },
    },
  });
  const wish = { repository: 'lab/model', ref: 'a'.repeat(40), commit: 'a'.repeat(40) };
  expect(findUnsafeCheckout('workflow_run', after('pull_request', 2), wish)).toContain('workflow_run');
  expect(findUnsafeCheckout('workflow_run', after('pull_request', 1), wish)).toBeNull();
  expect(findUnsafeCheckout('workflow_run', after('push', 2), wish)).toBeNull();
  // For this event the head is the base's own commit.
  expect(findUnsafeCheckout('workflow_run', after('pull_request_target', 2), wish)).toBeNull();
});

async function asSol(lab: Stage): Promise<(method: string, path: string, body: object) => Promise<number>> {
  const sol = Object.values(lab.world.state.users).find(({ login }) => login === 'sol');
  const token = mintUserToken(lab.world, sol?.id ?? 0);
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${lab.world.baseUrl}/api/v3/repos${path}`;
    return (await lab.world.fetch(new Request(url, { method, headers, body: JSON.stringify(body) }))).status;
  };
}
