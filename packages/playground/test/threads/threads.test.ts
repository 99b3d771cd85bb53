/** Conversations: issues, comments, their history, locks, reactions, pages and caching. */

import { describe, expect, it } from 'vitest';
import { at, createTown, refusal, type Town } from '../world/town.ts';

const comment = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const edit = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';

async function openIssue(town: Town, title = 'Daily ferry'): Promise<number> {
  const answer = await town.as(town.seeded.tokens.ada).request('POST /repos/{owner}/{repo}/issues', { ...at, title });
  return answer.data.number;
}

describe('comments', () => {
  it('name their author and the App', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const mine = await town.as(town.seeded.tokens.mira).request(comment, { ...at, issue_number, body: 'Please look.' });
    const bots = await town.asInstallation().request(comment, { ...at, issue_number, body: '🤖 Looking.' });
    expect(mine.data).toMatchObject({ user: { login: 'mira', type: 'User' }, author_association: 'COLLABORATOR' });
    expect(mine.data.performed_via_github_app).toBeNull();
    expect(bots.data.user).toMatchObject({ login: 'ferrybot[bot]', type: 'Bot' });
    expect(bots.data.performed_via_github_app).toMatchObject({ slug: 'ferrybot' });
    expect(bots.data.html_url).toBe(
      `http://github.test/lab/ferries/issues/${issue_number}#issuecomment-${bots.data.id}`,
    );
  });

  it('can have 65,536 characters', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const ada = town.as(town.seeded.tokens.ada);
    expect((await ada.request(comment, { ...at, issue_number, body: 'x'.repeat(65_536) })).status).toBe(201);
    const long = await refusal(ada.request(comment, { ...at, issue_number, body: 'x'.repeat(65_537) }));
    expect(long).toMatchObject({ status: 422, message: 'Validation Failed' });
    expect(long.data).toMatchObject({ errors: [{ resource: 'IssueComment', field: 'body', code: 'custom' }] });
    expect((await refusal(ada.request(comment, { ...at, issue_number, body: '  ' }))).status).toBe(422);
  });

  it('can be edited and deleted only by their author and people with write access', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const { data } = await town.as(town.seeded.tokens.sol).request(comment, { ...at, issue_number, body: 'mine' });
    const change = { ...at, comment_id: data.id, body: 'yours' };
    const remove = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(edit, change))).status).toBe(403);
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(remove, change))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.sol).request(edit, { ...change, body: 'still mine' })).status).toBe(200);
    expect((await town.as(town.seeded.tokens.ada).request(remove, change)).status).toBe(204);
    expect((await refusal(town.as(town.seeded.tokens.ada).request(edit, change))).status).toBe(404);
  });

  it('keep every earlier text and its editor', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const { data } = await town.as(town.seeded.tokens.ada).request(comment, { ...at, issue_number, body: '/status' });
    town.advance(5000);
    await town.as(town.seeded.tokens.mira).request(edit, { ...at, comment_id: data.id, body: '/approve-launch' });
    const query = `query($id: ID!) { node(id: $id) { ... on IssueComment {
      body lastEditedAt createdAt viewerDidAuthor editor { login ... on User { databaseId } }
      userContentEdits(first: 10) { totalCount nodes { diff editor { login } } } } } }`;
    const answer = await town.asInstallation().graphql<{ node: Record<string, unknown> }>(query, { id: data.node_id });
    expect(answer.node).toMatchObject({
      body: '/approve-launch',
      editor: { login: 'mira' },
      viewerDidAuthor: false,
      userContentEdits: {
        totalCount: 2,
        nodes: [
          { diff: '/approve-launch', editor: { login: 'mira' } },
          { diff: '/status', editor: { login: 'ada' } },
        ],
      },
    });
    expect(Date.parse(String(answer.node['lastEditedAt'])) - Date.parse(String(answer.node['createdAt']))).toBe(5000);
  });

  it('are refused in a locked thread, except from people with write access', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const lock = 'PUT /repos/{owner}/{repo}/issues/{issue_number}/lock';
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(lock, { ...at, issue_number }))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.mira).request(lock, { ...at, issue_number })).status).toBe(204);
    expect(
      (await refusal(town.as(town.seeded.tokens.sol).request(comment, { ...at, issue_number, body: 'But' }))).status,
    ).toBe(403);
    expect(
      (await town.as(town.seeded.tokens.ada).request(comment, { ...at, issue_number, body: 'Done.' })).status,
    ).toBe(201);
    const app = town.asInstallation();
    expect((await refusal(app.request(comment, { ...at, issue_number, body: '🤖' }))).status).toBe(403);
    await app.request(lock.replace('PUT', 'DELETE'), { ...at, issue_number });
    expect((await app.request(comment, { ...at, issue_number, body: '🤖' })).status).toBe(201);
  });

  it('can be listed by their last change', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const ada = town.as(town.seeded.tokens.ada);
    const first = await ada.request(comment, { ...at, issue_number, body: 'one' });
    town.advance(10_000);
    const second = await ada.request(comment, { ...at, issue_number, body: 'two' });
    const list = 'GET /repos/{owner}/{repo}/issues/comments';
    const since = second.data.created_at;
    expect((await ada.request(list, { ...at, since })).data.map((one) => one.body)).toEqual(['two']);
    town.advance(10_000);
    await ada.request(edit, { ...at, comment_id: first.data.id, body: 'one, changed' });
    const sorted = { ...at, since, sort: 'updated', direction: 'desc' } as const;
    expect((await ada.request(list, sorted)).data.map((one) => one.body)).toEqual(['one, changed', 'two']);
  });
});

describe('lists', () => {
  it('are paged with links', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const ada = town.as(town.seeded.tokens.ada);
    for (const body of ['1', '2', '3', '4', '5']) await ada.request(comment, { ...at, issue_number, body });
    const list = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const page = await ada.request(list, { ...at, issue_number, per_page: 2, page: 2 });
    expect(page.data.map((one) => one.body)).toEqual(['3', '4']);
    const rels = [...(page.headers.link ?? '').matchAll(/[?&]page=(\d+)[^>]*>; rel="(\w+)"/g)].map((one) => [
      one[2],
      one[1],
    ]);
    expect(Object.fromEntries(rels)).toEqual({ prev: '1', next: '3', last: '3', first: '1' });
  });

  it('are not counted against the limit when nothing changed', async () => {
    const town = createTown();
    await openIssue(town);
    const ada = town.as(town.seeded.tokens.ada);
    const first = await ada.request('GET /repos/{owner}/{repo}/issues', at);
    const headers = { 'if-none-match': first.headers.etag ?? '' };
    const again = await refusal(ada.request('GET /repos/{owner}/{repo}/issues', { ...at, headers }));
    expect(again.status).toBe(304);
    expect(town.world.state.usage['user:ada']).toMatchObject({ rest: 2, notModified: 1, contentWrites: 1 });
    await openIssue(town, 'Another');
    expect((await ada.request('GET /repos/{owner}/{repo}/issues', { ...at, headers })).status).toBe(200);
    expect(first.headers['x-github-request-id']).toMatch(/^PLAY:/);
    expect(first.headers['x-ratelimit-limit']).toBe('5000');
  });

  it('get a 403 over the hourly limit', async () => {
    const town = createTown();
    const guest = town.as(null);
    for (let count = 0; count < 60; count += 1) await guest.request('GET /repos/{owner}/{repo}', at);
    const over = await refusal(guest.request('GET /repos/{owner}/{repo}', at));
    expect(over).toMatchObject({ status: 403, message: 'API rate limit exceeded for 127.0.0.1.' });
    town.advance(60 * 60 * 1000);
    expect((await guest.request('GET /repos/{owner}/{repo}', at)).status).toBe(200);
  });
});

describe('reactions', () => {
  it('exist once per person and kind, and can be removed only by that person', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const { data } = await town.as(town.seeded.tokens.ada).request(comment, { ...at, issue_number, body: '/status' });
    const react = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
    const eyes = { ...at, comment_id: data.id, content: 'eyes' } as const;
    const first = await town.asInstallation().request(react, eyes);
    const twice = await town.asInstallation().request(react, eyes);
    expect([first.status, twice.status, twice.data.id === first.data.id]).toEqual([201, 200, true]);
    const remove = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}';
    const target = { ...at, comment_id: data.id, reaction_id: first.data.id };
    expect((await refusal(town.as(town.seeded.tokens.sol).request(remove, target))).status).toBe(403);
    const shown = await town.as(null).request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', target);
    expect(shown.data.reactions).toMatchObject({ total_count: 1, eyes: 1 });
    expect((await town.asInstallation().request(remove, target)).status).toBe(204);
  });
});
