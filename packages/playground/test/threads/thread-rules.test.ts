/**
 * Forbidden actions in a thread: when it is locked, with the permission for the other kind of thread, with too low a
 * role.
 */

import { describe, expect, it } from 'vitest';
import type { Permissions } from '../../identity/state-people.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { at, createTown, refusal, type Town } from '../world/town.ts';

const comment = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const edit = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const remove = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
const react = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
const change = 'PATCH /repos/{owner}/{repo}/issues/{issue_number}';
const label = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';

/** Sol, who has no role, opens issue 1 and comments there; ada's pull request is number 2. */
async function townWithThreads(): Promise<{ readonly town: Town; readonly comment_id: number }> {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const sol = town.as(town.seeded.tokens.sol);
  await sol.request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
  const { data } = await sol.request(comment, { ...at, issue_number: 1, body: 'mine' });
  await town
    .as(town.seeded.tokens.ada)
    .request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'P', head: 'ferry', base: 'main' });
  return { town, comment_id: Number(data.id) };
}

function narrow(town: Town, permissions: Permissions): ReturnType<Town['as']> {
  const row = Object.values(town.world.state.installations)[0];
  if (row === undefined) throw new Error('no installation');
  return town.as(mintInstallationToken(town.world, row, permissions, null).token);
}

describe('a locked thread', () => {
  it('refuses comments, changes and reactions of people without write access, even on their own texts', async () => {
    const { town, comment_id } = await townWithThreads();
    const [sol, ada] = [town.as(town.seeded.tokens.sol), town.as(town.seeded.tokens.ada)];
    await ada.request('PUT /repos/{owner}/{repo}/issues/{issue_number}/lock', { ...at, issue_number: 1 });
    const eyes = { ...at, comment_id, content: 'eyes' } as const;
    const refused = [
      sol.request(comment, { ...at, issue_number: 1, body: 'But' }),
      sol.request(edit, { ...at, comment_id, body: 'not mine' }),
      sol.request(remove, { ...at, comment_id }),
      sol.request(react, eyes),
      sol.request(change, { ...at, issue_number: 1, title: 'Other' }),
      town.as(town.seeded.tokens.ravi).request(react, eyes),
    ];
    for (const one of refused) expect(await refusal(one)).toMatchObject({ status: 403 });
    expect((await ada.request(react, eyes)).status).toBe(201);
    expect((await ada.request(edit, { ...at, comment_id, body: 'hidden' })).status).toBe(200);
    await ada.request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock', { ...at, issue_number: 1 });
    expect((await sol.request(edit, { ...at, comment_id, body: 'mine again' })).status).toBe(200);
  });
});

describe('an App', () => {
  // docs.github.com/rest: permissions required for GitHub Apps.
  it('with only the pull request permission can comment on pull requests, not on issues', async () => {
    const { town, comment_id } = await townWithThreads();
    const pulls = narrow(town, { pull_requests: 'write' });
    expect((await pulls.request(comment, { ...at, issue_number: 2, body: '🤖' })).status).toBe(201);
    expect((await pulls.request(label, { ...at, issue_number: 2, labels: ['bug'] })).status).toBe(200);
    const refused = [
      pulls.request(comment, { ...at, issue_number: 1, body: '🤖' }),
      pulls.request(edit, { ...at, comment_id, body: '🤖' }),
      pulls.request(react, { ...at, comment_id, content: 'eyes' }),
      pulls.request(label, { ...at, issue_number: 1, labels: ['bug'] }),
      pulls.request(change, { ...at, issue_number: 1, state: 'closed' }),
      pulls.request('GET /repos/{owner}/{repo}/issues/{issue_number}', { ...at, issue_number: 1 }),
      pulls.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...at, issue_number: 1 }),
    ];
    for (const one of refused)
      expect(await refusal(one)).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
  });

  it('with the issue permission can comment on pull requests too', async () => {
    const { town } = await townWithThreads();
    const issues = narrow(town, { issues: 'write' });
    expect((await issues.request(comment, { ...at, issue_number: 1, body: '🤖' })).status).toBe(201);
    expect((await issues.request(comment, { ...at, issue_number: 2, body: '🤖' })).status).toBe(201);
  });
});

describe('a new label', () => {
  // github.com/actions/labeler, pull 867: `pull-requests: write` can add labels but not create them.
  it('can be created by people with write access and by an App with issues:write', async () => {
    const { town } = await townWithThreads();
    const refused = [
      town.as(town.seeded.tokens.ravi).request(label, { ...at, issue_number: 1, labels: ['new'] }),
      narrow(town, { pull_requests: 'write' }).request(label, { ...at, issue_number: 2, labels: ['new'] }),
      town.as(town.seeded.tokens.ravi).request(change, { ...at, issue_number: 1, labels: ['bug', 'new'] }),
    ];
    for (const one of refused)
      expect(await refusal(one)).toMatchObject({
        status: 403,
        message: 'You do not have permission to create labels on this repository.',
      });
    const known = { ...at, issue_number: 1, labels: ['BUG'] };
    const { data } = await town.as(town.seeded.tokens.ravi).request(label, known);
    expect(data.map(({ name }) => name)).toEqual(['bug']);
    const fresh = { ...at, issue_number: 1, labels: ['new'] };
    expect((await narrow(town, { issues: 'write' }).request(label, fresh)).data).toHaveLength(2);
    const long = { ...at, issue_number: 1, labels: ['x'.repeat(51)] };
    expect((await refusal(town.as(town.seeded.tokens.ada).request(label, long))).status).toBe(422);
  });
});

describe('an issue that another person closed', () => {
  it('cannot be reopened by its author, unlike one that the author closed', async () => {
    const { town } = await townWithThreads();
    const [sol, ada] = [town.as(town.seeded.tokens.sol), town.as(town.seeded.tokens.ada)];
    const to = (state: 'open' | 'closed') => ({ ...at, issue_number: 1, state });
    await sol.request(change, to('closed'));
    expect((await sol.request(change, to('open'))).data.state).toBe('open');
    const done = { ...to('closed'), state_reason: 'duplicate' } as const;
    expect((await ada.request(change, done)).data.state_reason).toBe('duplicate');
    expect((await refusal(sol.request(change, to('open')))).status).toBe(403);
    expect((await ada.request(change, to('open'))).data.state_reason).toBe('reopened');
  });
});

describe('a body', () => {
  // GitHub counts code points (dead-claudia/github-limits, pull 13): an emoji is one character, not the two of UTF-16.
  it('can have 65,536 characters, regardless of their bytes', async () => {
    const { town } = await townWithThreads();
    const ada = town.as(town.seeded.tokens.ada);
    const of = (count: number) => ({ ...at, issue_number: 1, body: '🚢'.repeat(count) });
    expect((await ada.request(comment, of(65_536))).status).toBe(201);
    expect(await refusal(ada.request(comment, of(65_537)))).toMatchObject({
      status: 422,
      data: { message: 'Validation Failed', errors: [{ resource: 'IssueComment', field: 'body', code: 'custom' }] },
    });
  });
});

describe('an invalid moment in since', () => {
  it('is a 422, not an empty list', async () => {
    const { town } = await townWithThreads();
    const ada = town.as(town.seeded.tokens.ada);
    for (const path of ['issues', 'issues/comments', 'issues/1/comments', 'pulls/comments'])
      expect(await refusal(ada.request(`GET /repos/lab/ferries/${path}?since=yesterday`))).toMatchObject({
        status: 422,
      });
  });
});
