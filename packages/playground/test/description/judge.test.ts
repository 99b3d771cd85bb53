/** The judge that runs after every test: it accepts what GitHub describes and nothing else. */

import { describe, expect, it } from 'vitest';
import { judgeAnswer } from '../support/openapi/judge-answer.ts';
import { judgeWebhook } from '../support/openapi/judge-webhook.ts';
import { at, createTown } from '../world/town.ts';

async function comment(): Promise<Readonly<Record<string, unknown>>> {
  const town = createTown();
  const ada = town.as(town.seeded.tokens.ada);
  await ada.request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
  const made = await ada.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...at,
    issue_number: 1,
    body: 'hello',
  });
  return made.data;
}

const path = '/repos/lab/ferries/issues/1/comments';
const answered = (status: number, body: unknown, where = path): string | null =>
  judgeAnswer({ method: 'POST', path: where, status, text: JSON.stringify(body) });

describe('an answer', () => {
  it('fits when it matches GitHub’s description', async () => {
    expect(answered(201, await comment())).toBeNull();
  });

  it.each([
    ['a property of our own', { mood: 'good' }, 'mood'],
    ['a property of our own, deeper', { user: { mood: 'good' } }, '/user'],
    ['a text in place of a number', { id: '7' }, '/id must be integer'],
    ['an invalid date', { created_at: 'yesterday' }, '/created_at must match format "date-time"'],
    ['a value that GitHub does not have', { author_association: 'FRIEND' }, '/author_association'],
  ])('does not fit with %s, and the verdict names the field', async (_, change, field) => {
    const verdict = answered(201, { ...(await comment()), ...change });
    expect(verdict).toContain('POST /repos/{owner}/{repo}/issues/{issue_number}/comments 201');
    expect(verdict).toContain(field);
  });

  it('does not fit without a required property', async () => {
    const { html_url: _gone, ...rest } = await comment();
    expect(answered(201, rest)).toContain("must have required property 'html_url'");
  });

  it('does not fit with a status or an operation that GitHub does not have', async () => {
    expect(answered(200, await comment())).toContain('GitHub does not answer with this status');
    expect(judgeAnswer({ method: 'GET', path: '/repos/lab/ferries/moods', status: 200, text: '{}' })).toContain(
      'is no operation of GitHub',
    );
  });

  it('can be a refusal only in GitHub’s form of a refusal', () => {
    expect(answered(403, { message: 'No', documentation_url: 'https://docs.github.com', status: '403' })).toBeNull();
    expect(answered(403, { message: 'No', reason: 'because' })).toContain('reason');
    expect(answered(422, { message: 'No' })).toContain('documentation_url');
  });
});

describe('a webhook', () => {
  it('does not fit with an unknown property or an unknown action', () => {
    const payload = { ref: 'refs/heads/main' };
    expect(judgeWebhook({ event: 'push', action: null, text: JSON.stringify(payload) })).toContain('push: /');
    expect(judgeWebhook({ event: 'issues', action: 'admired', text: '{}' })).toBe(
      'issues.admired is no webhook of GitHub',
    );
  });
});
