/** Assignees, milestones and reviewers of a thread, and its timeline. */

import { describe, expect, it } from 'vitest';
import { createAsker, listReceived } from '../world/ask.ts';
import { createTown } from '../world/town.ts';

describe('assignees', () => {
  it('are added and removed with one event each; outsiders and callers without permission change nothing', async () => {
    const town = createTown();
    const ask = createAsker(town);
    await ask('sol', 'POST', '/issues', { title: 'The loss is flat' });
    const emitted = listReceived(town);
    const added = await ask('ravi', 'POST', '/issues/1/assignees', { assignees: ['ada', 'sol'] });
    expect(added).toMatchObject({ httpStatus: 201, assignees: [{ login: 'ada' }] });
    expect(await ask('sol', 'POST', '/issues/1/assignees', { assignees: ['mira'] })).toMatchObject({
      httpStatus: 201,
      assignees: [{ login: 'ada' }],
    });
    expect(await ask('ravi', 'PATCH', '/issues/1', { assignees: ['sol'] })).toMatchObject({
      httpStatus: 422,
      errors: [{ field: 'assignees', code: 'invalid' }],
    });
    await ask('ravi', 'PATCH', '/issues/1', { assignees: ['mira'] });
    await ask('ravi', 'DELETE', '/issues/1/assignees', { assignees: ['mira'] });
    expect(emitted).toEqual(['issues assigned', 'issues unassigned', 'issues assigned', 'issues unassigned']);
    expect(await ask('sol', 'GET', '/assignees')).toHaveLength(3);
    expect(await ask('sol', 'GET', '/assignees/ada')).toEqual({ httpStatus: 204 });
    expect(await ask('sol', 'GET', '/assignees/sol')).toMatchObject({ httpStatus: 404 });
  });
});

describe('a milestone', () => {
  it('is set on threads by number, counts them, and is removed from them when it is deleted', async () => {
    const town = createTown();
    const [ask, heard] = [createAsker(town), listReceived(town)];
    const made = await ask('ada', 'POST', '/milestones', { title: 'Summer', due_on: '2026-12-01T00:00:00Z' });
    expect(made).toMatchObject({ httpStatus: 201, number: 1, due_on: '2026-12-01T00:00:00Z', open_issues: 0 });
    expect(await ask('ada', 'POST', '/milestones', { title: 'Summer' })).toMatchObject({
      httpStatus: 422,
      errors: [{ resource: 'Milestone', code: 'already_exists', field: 'title' }],
    });
    await ask('ada', 'POST', '/issues', { title: 'A', milestone: 1 });
    expect(await ask('ada', 'PATCH', '/issues/1', { milestone: 7 })).toMatchObject({ httpStatus: 422 });
    expect(await ask('sol', 'GET', '/milestones/1')).toMatchObject({ open_issues: 1, closed_issues: 0 });
    await ask('ada', 'PATCH', '/milestones/1', { state: 'closed', title: 'Autumn' });
    expect(await ask('sol', 'GET', '/issues/1')).toMatchObject({ milestone: { title: 'Autumn', state: 'closed' } });
    expect(await ask('ravi', 'DELETE', '/milestones/1')).toMatchObject({ httpStatus: 403 });
    expect(await ask('ada', 'DELETE', '/milestones/1')).toEqual({ httpStatus: 204 });
    expect(await ask('sol', 'GET', '/issues/1')).toMatchObject({ milestone: null });
    expect(heard.filter((one) => /milestone/.test(one))).toEqual([
      'milestone created',
      'issues milestoned',
      'milestone edited',
      'milestone closed',
      'milestone deleted',
    ]);
  });
});

describe('a timeline', () => {
  it('lists commits, comments, reviews and other events in order', async () => {
    const town = createTown();
    await town.commit('main', { 'a.txt': 'one\n' });
    await town.commit('ferry', { 'a.txt': 'two\n' });
    const ask = createAsker(town);
    await ask('ada', 'POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main' });
    const steps: readonly (() => Promise<unknown>)[] = [
      () => ask('mira', 'POST', '/issues/1/comments', { body: 'Look.' }),
      () => ask('mira', 'POST', '/issues/1/labels', { labels: ['bug'] }),
      () => ask('mira', 'PATCH', '/issues/1', { title: 'Sail on' }),
      () => ask('ada', 'POST', '/pulls/1/requested_reviewers', { reviewers: ['mira'] }),
      () => ask('mira', 'POST', '/pulls/1/reviews', { event: 'APPROVE' }),
      () => ask('mira', 'PUT', '/pulls/1/merge', {}),
    ];
    for (const step of steps) {
      town.advance(60_000);
      await step();
    }
    const timeline = await ask('sol', 'GET', '/issues/1/timeline');
    expect(timeline.map(({ event }: { event: string }) => event)).toEqual([
      'committed',
      'commented',
      'labeled',
      'renamed',
      'review_requested',
      'reviewed',
      'merged',
      'closed',
    ]);
    expect(timeline[3]).toMatchObject({ rename: { from: 'Sail', to: 'Sail on' }, actor: { login: 'mira' } });
    expect(timeline[6].commit_id).toMatch(/^[0-9a-f]{40}$/);
    const events = await ask('sol', 'GET', '/issues/1/events');
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['labeled', 'renamed', 'review_requested']);
  });
});

describe('a review request', () => {
  it('is accepted for collaborators, not for the author; and the branch can be updated from its base', async () => {
    const town = createTown();
    await town.commit('main', { 'a.txt': 'one\n' });
    await town.commit('ferry', { 'b.txt': 'two\n' });
    const ask = createAsker(town);
    await ask('ada', 'POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main' });
    const request = (reviewers: readonly string[]) => ask('ada', 'POST', '/pulls/1/requested_reviewers', { reviewers });
    expect(await request(['ada'])).toMatchObject({
      httpStatus: 422,
      message: 'Review cannot be requested from pull request author.',
    });
    expect(await request(['sol'])).toMatchObject({ httpStatus: 422 });
    expect(await request(['ravi'])).toMatchObject({ httpStatus: 201, requested_reviewers: [{ login: 'ravi' }] });
    expect(await ask('sol', 'GET', '/pulls/1/requested_reviewers')).toMatchObject({ users: [{ login: 'ravi' }] });
    expect(await ask('ada', 'PUT', '/pulls/1/update-branch', {})).toMatchObject({ httpStatus: 422 });
    const { content } = { content: Buffer.from('three\n').toString('base64') };
    await ask('ada', 'PUT', '/contents/c.txt', { message: 'More', content, branch: 'main' });
    expect(await ask('ada', 'PUT', '/pulls/1/update-branch', {})).toMatchObject({ httpStatus: 202 });
    expect(await ask('sol', 'GET', '/compare/main...ferry')).toMatchObject({ behind_by: 0, ahead_by: 2 });
  });
});
