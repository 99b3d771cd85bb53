/** What need not be asked is not asked: the first pull request of a branch, and a comment that was just seen. */

import { describe, expect, it } from 'vitest';
import { branded, isDigest } from '../../src/domain/ids.ts';
import { createClient, type GitHubClient } from '../../src/github/call.ts';
import { readAgain } from '../../src/github/cited-comment.ts';
import { openPull } from '../../src/github/pulls.ts';
import { sha256Hex } from '../../src/host/hash.ts';

type Answer = { readonly status: number; readonly data: unknown };

/** GitHub with these answers by route (several: one after the other, the last for good), and the routes that were asked. */
function github(answers: Readonly<Record<string, Answer | readonly Answer[]>>): {
  readonly client: GitHubClient;
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  const client = createClient({
    octokit: {
      request: async (route) => {
        const name = route.replace('/repos/{owner}/{repo}', '');
        asked.push(name);
        const all = [answers[name] ?? []].flat();
        const nth = asked.filter((one) => one === name).length;
        const answer = all[Math.min(nth, all.length) - 1] ?? { status: 404, data: {} };
        if (answer.status < 300) return { ...answer, headers: {} };
        throw Object.assign(new Error('refused'), {
          name: 'HttpError',
          status: answer.status,
          response: { headers: {} },
        });
      },
    },
    owner: 'lab',
    repo: 'models',
    baseUrl: 'https://api.github.example',
    sleep: async () => undefined,
    now: () => 0,
  });
  return { client, asked };
}

const GET = 'GET /pulls';
const POST = 'POST /pulls';
const LABELS = 'POST /issues/{issue_number}/labels';
const created = { status: 201, data: { number: 7, body: 'b' } };
const labelled = { status: 200, data: [] };
const effect = {
  kind: 'open-pull',
  head: 'h',
  base: 'main',
  title: 't',
  body: 'b',
  labels: ['ferry'],
} as const;

describe('a pull request', () => {
  it('of a branch that was made just now is opened without a look', async () => {
    const { client, asked } = github({ [POST]: created, [LABELS]: labelled });
    expect(await openPull(client, { ...effect, isFirst: true })).toEqual({ kind: 'done', number: 7 });
    expect(asked).toEqual([POST, LABELS]);
  });

  it('that another process opened at the same moment is adopted', async () => {
    const there = { status: 200, data: [{ number: 5, body: 'b' }] };
    const { client, asked } = github({ [POST]: { status: 422, data: {} }, [GET]: there, [LABELS]: labelled });
    expect(await openPull(client, { ...effect, isFirst: true })).toEqual({ kind: 'done', number: 5 });
    expect(asked).toEqual([POST, GET, LABELS]);
  });

  it('that another process opened between the look and the wish is adopted, too', async () => {
    const there = [
      { status: 200, data: [] },
      { status: 200, data: [{ number: 5, body: 'b' }] },
    ];
    const { client, asked } = github({ [GET]: there, [POST]: { status: 422, data: {} }, [LABELS]: labelled });
    expect(await openPull(client, effect)).toEqual({ kind: 'done', number: 5 });
    expect(asked).toEqual([GET, POST, GET, LABELS]);
  });

  it('that GitHub does not take, though there is none, is refused', async () => {
    const { client } = github({ [POST]: { status: 422, data: {} }, [GET]: { status: 200, data: [] } });
    expect(await openPull(client, { ...effect, isFirst: true })).toMatchObject({
      kind: 'refused',
      code: '422',
    });
  });

  it('of a branch that was there is looked for first, closed ones too', async () => {
    const { client, asked } = github({
      [GET]: { status: 200, data: [{ number: 3, body: null }] },
      [LABELS]: labelled,
    });
    expect(await openPull(client, effect)).toEqual({ kind: 'done', number: 3 });
    expect(asked).toEqual([GET, LABELS]);
  });
});

describe('an approving comment', () => {
  const reading = {
    digestOf: (text: string) => branded(`sha256:${sha256Hex(text)}`, isDigest),
    ownBots: [],
    ownWorkflows: [],
    markerOf: () => null,
    issueMarkerOf: () => null,
  };
  const COMMENT = 'GET /issues/comments/{comment_id}';
  const REVIEW = 'GET /pulls/{pull_number}/reviews/{review_id}';
  const node = {
    id: 'IC_9',
    body: '/approve-launch',
    createdAt: '2026-11-21T06:00:00Z',
    updatedAt: '2026-11-21T06:05:00Z',
    lastEditedAt: '2026-11-21T06:05:00Z',
    viewerDidAuthor: false,
    author: { __typename: 'User', login: 'mira', databaseId: 7 },
    isMinimized: false,
  };
  const there = { status: 200, data: { data: { node } } };
  const gone = {
    status: 200,
    data: { data: { node: null }, errors: [{ message: 'Could not resolve to a node' }] },
  };
  const shown = { nodeId: 'IC_9', thread: 13 };
  const citation = { surface: 'comment', comment: 9, pull: 13 } as const;

  it('that its thread showed is read again in one request, and an edit since is seen', async () => {
    const { client, asked } = github({ 'POST /graphql': there });
    const read = await readAgain(client, citation, shown, reading);
    expect(read).toMatchObject({
      kind: 'known',
      value: { id: 9, thread: 13, editedAt: Date.parse(node.lastEditedAt) },
    });
    expect(asked).toEqual(['POST /graphql']);
  });

  it('that is gone since is known to be gone only when REST says so', async () => {
    const { client, asked } = github({ 'POST /graphql': gone });
    expect(await readAgain(client, citation, shown, reading)).toEqual({ kind: 'known', value: null });
    expect(asked).toEqual(['POST /graphql', COMMENT]);
    const away = github({ 'POST /graphql': gone, [COMMENT]: { status: 403, data: {} } });
    expect((await readAgain(away.client, citation, shown, reading)).kind).toBe('unknown');
  });

  it('that is a review is asked about by its number: its node does not say that it was dismissed', async () => {
    const dismissed = { status: 200, data: { id: 9, node_id: 'IC_9', state: 'DISMISSED' } };
    const { client, asked } = github({ [REVIEW]: dismissed, 'POST /graphql': there });
    const read = await readAgain(client, { ...citation, surface: 'review' }, shown, reading);
    expect(read).toMatchObject({ kind: 'known', value: { minimized: true } });
    expect(asked).toEqual([REVIEW, 'POST /graphql']);
  });
});
