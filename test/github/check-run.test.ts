/** What a check run is made with: never longer than GitHub takes, and never another App's. */

import { describe, expect, it } from 'vitest';
import { branded, isSha } from '../../src/domain/ids.ts';
import { createClient, type GitHubClient } from '../../src/github/call.ts';
import { putCheckRun } from '../../src/github/check-run.ts';

const HEAD = branded('c'.repeat(40), isSha);
const effect = {
  kind: 'put-check-run',
  head: HEAD,
  title: 'Ready for approval',
  summary: 'All gates are open.',
  conclusion: 'success',
  annotations: [],
  externalId: 'ferry-daily-20261121',
  existing: null,
} as const;

type Sent = { readonly route: string; readonly body: Readonly<Record<string, unknown>> };

/** GitHub with these check runs on the head; `refuses`: what it does not let us change. */
function github(
  there: readonly { readonly id: number; readonly external_id: string }[],
  refuses: readonly number[] = [],
): { readonly client: GitHubClient; readonly sent: readonly Sent[] } {
  const sent: Sent[] = [];
  const client = createClient({
    octokit: {
      request: async (route, body = {}) => {
        if (route.startsWith('GET'))
          return { status: 200, headers: {}, data: { total_count: there.length, check_runs: there } };
        sent.push({ route, body });
        if (!refuses.includes(Number(body['check_run_id'])))
          return { status: 200, headers: {}, data: { id: Number(body['check_run_id'] ?? 99) } };
        throw Object.assign(new Error('refused'), {
          name: 'HttpError',
          status: 403,
          response: { headers: {} },
        });
      },
    },
    owner: 'lab',
    repo: 'ferries',
    baseUrl: 'https://api.github.example',
    sleep: async () => undefined,
    now: () => 0,
  });
  return { client, sent };
}

const outputOf = (sent: readonly Sent[]): unknown => sent[0]?.body['output'];

describe('a check run', () => {
  it('is made once and found again by its run, not by its name alone', async () => {
    const first = github([{ id: 5, external_id: 'ferry-daily-20261120' }]);
    expect(await putCheckRun(first.client, effect)).toEqual({ kind: 'done', number: 99 });
    expect(first.sent.map(({ route }) => route)).toEqual(['POST /repos/{owner}/{repo}/check-runs']);
    expect(first.sent[0]?.body).toMatchObject({ head_sha: HEAD, status: 'completed', conclusion: 'success' });
    const again = github([{ id: 6, external_id: effect.externalId }]);
    expect(await putCheckRun(again.client, effect)).toEqual({ kind: 'done', number: 6 });
    expect(again.sent.map(({ route }) => route)).toEqual([
      'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
    ]);
  });

  it('of another App is left, and a new one is made, unless only our own may be written', async () => {
    const { client, sent } = github([{ id: 6, external_id: effect.externalId }], [6]);
    expect(await putCheckRun(client, effect)).toEqual({ kind: 'done', number: 99 });
    expect(sent.map(({ route }) => route.split(' ')[0])).toEqual(['PATCH', 'POST']);
    const own = await putCheckRun(github([], []).client, { ...effect, onlyOwn: true });
    expect(own).toMatchObject({ kind: 'refused', code: 'none-of-ours' });
  });

  it('has no more words than GitHub takes, and no half of a sign at the cut', async () => {
    const { client, sent } = github([]);
    const summary = `${'x'.repeat(65_534)}🤖 and more`;
    await putCheckRun(client, { ...effect, title: 't'.repeat(300), summary });
    expect(outputOf(sent)).toMatchObject({ title: 't'.repeat(250), summary: 'x'.repeat(65_534) });
  });

  it('without a conclusion is in progress', async () => {
    const { client, sent } = github([]);
    await putCheckRun(client, { ...effect, conclusion: null });
    expect(sent[0]?.body['status']).toBe('in_progress');
    expect(sent[0]?.body).not.toHaveProperty('conclusion');
  });
});
