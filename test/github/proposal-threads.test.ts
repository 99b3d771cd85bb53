/** A proposal that stands in an issue and on a branch: what is read of it, and what is unknown where GitHub does not tell. */

import { describe, expect, it } from 'vitest';
import { branded, isDigest } from '../../src/domain/ids.ts';
import { createClient, type GitHubClient } from '../../src/github/call.ts';
import { editIssue } from '../../src/github/issues.ts';
import { readProposal } from '../../src/github/proposal-threads.ts';
import { sha256Hex } from '../../src/host/hash.ts';

const digestOf = (text: string) => branded(`sha256:${sha256Hex(text)}`, isDigest);
const READING = {
  digestOf,
  ownBots: ['ferrybot'],
  ownWorkflows: [],
  markerOf: () => null,
  issueMarkerOf: () => null,
};
const PLACE = { issue: 5, pull: 5, headBranch: 'ferrybot/proposal/r', baseBranch: 'main' };
const TIP = 'a'.repeat(40);
const NOTHING = { hasPreviousPage: false, startCursor: null, hasNextPage: false, endCursor: null };
const ISSUE = {
  id: 'I_5',
  number: 5,
  title: 't',
  body: 'b',
  state: 'OPEN',
  createdAt: '2026-11-21T00:00:00Z',
  updatedAt: '2026-11-21T00:00:00Z',
  lastEditedAt: null,
  author: { __typename: 'Bot', login: 'ferrybot', databaseId: 1 },
  labels: { nodes: [{ name: 'ferry' }] },
  comments: { nodes: [], pageInfo: NOTHING },
  includesCreatedEdit: true,
  userContentEdits: {
    nodes: [
      {
        editedAt: '2026-11-21T02:00:00Z',
        editor: { __typename: 'User', login: 'ada', databaseId: 7 },
        diff: 'b',
      },
      { editedAt: '2026-11-21T01:00:00Z', editor: null, diff: null },
      {
        editedAt: '2026-11-21T00:00:00Z',
        editor: { __typename: 'Bot', login: 'ferrybot', databaseId: 1 },
        diff: 'a',
      },
    ],
    pageInfo: NOTHING,
  },
};
const CHECKED = { target: { oid: TIP, checkSuites: { totalCount: 0, nodes: [] }, status: null } };

/** A client whose requests are answered in turn; `asked` holds what was sent. */
function answering(...answers: readonly unknown[]): {
  readonly client: GitHubClient;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const client = createClient({
    octokit: {
      request: async (route) => {
        asked.push(route);
        return { status: 200, data: answers[asked.length - 1], headers: {} };
      },
    },
    owner: 'lab',
    repo: 'models',
    baseUrl: 'https://api.github.example',
    sleep: async () => undefined,
    now: () => Date.UTC(2026, 10, 21),
  });
  return { client, asked };
}

function repository(parts: object): object {
  const all = { nameWithOwner: 'lab/models', issue: ISSUE, ref: { target: { oid: TIP } }, checked: CHECKED };
  return { ...all, ...parts };
}

describe('a proposal without a pull request', () => {
  it('is put together from the issue and the tip in one request', async () => {
    const { client, asked } = answering({ data: { repository: repository({}) } });
    const read = await readProposal(client, PLACE, READING);
    expect(asked).toHaveLength(1);
    expect(read.kind === 'known' ? read.value.pull : read).toMatchObject({
      kind: 'known',
      value: {
        number: 5,
        state: 'open',
        merged: false,
        headSha: TIP,
        headBranch: 'ferrybot/proposal/r',
        headRepository: 'lab/models',
        baseBranch: 'main',
        bodyDigest: digestOf('b'),
        authorIsBot: true,
        versions: [
          { by: { kind: 'person', actor: { id: 7, login: 'ada' } }, text: 'b' },
          { by: { kind: 'unnamed' }, text: null },
          { by: { kind: 'app', login: 'ferrybot' }, text: 'a' },
        ],
      },
    });
    expect(read.kind === 'known' ? read.value.checks : read).toEqual({ kind: 'known', value: [] });
  });

  it('has an unknown head where the branch is gone, and is read all the same', async () => {
    const { client } = answering({ data: { repository: repository({ ref: null, checked: null }) } });
    const read = await readProposal(client, PLACE, READING);
    expect(read.kind).toBe('known');
    if (read.kind === 'unknown') return;
    expect(read.value.pull).toEqual({ kind: 'unknown', why: 'the branch ferrybot/proposal/r is not there' });
    expect(read.value.checks.kind).toBe('unknown');
    expect(read.value.issue).toMatchObject({ value: { number: 5, state: 'open' } });
  });

  it('has unknown checks where the token may not read them, or the branch moved in between', async () => {
    const errors = [{ message: 'no', path: ['repository', 'checked', 'target', 'checkSuites'] }];
    const moved = { target: { ...CHECKED.target, oid: 'b'.repeat(40) } };
    for (const answer of [
      { data: { repository: repository({}) }, errors },
      { data: { repository: repository({ checked: moved }) } },
    ]) {
      const read = await readProposal(answering(answer).client, PLACE, READING);
      expect(read.kind === 'known' ? [read.value.pull.kind, read.value.checks.kind] : read).toEqual([
        'known',
        'unknown',
      ]);
    }
  });

  it('is unknown as a whole where the tip itself is not told', async () => {
    const errors = [{ message: 'no', path: ['repository', 'ref'] }];
    const { client } = answering({ data: { repository: repository({ ref: null }) }, errors });
    expect((await readProposal(client, PLACE, READING)).kind).toBe('unknown');
  });
});

describe('an edit of the issue that expects a text', () => {
  const row = { number: 5, title: 't', updated_at: '2026-11-21T00:00:00Z', state: 'open' };
  const effect = {
    kind: 'edit-issue',
    issue: 5,
    expected: digestOf('read'),
    body: 'ticked',
    state: null,
  } as const;

  it('is made on the text that was read', async () => {
    const { client, asked } = answering({ ...row, body: 'read' }, row);
    expect(await editIssue(client, effect, digestOf)).toEqual({ kind: 'done', number: 5 });
    expect(asked.map((route) => route.split(' ')[0])).toEqual(['GET', 'PATCH']);
  });

  it('is refused where somebody edited it meanwhile', async () => {
    const { client, asked } = answering({ ...row, body: 'written by a person' }, row);
    expect(await editIssue(client, effect, digestOf)).toMatchObject({ code: 'edited-meanwhile' });
    expect(asked).toHaveLength(1);
  });

  it('is unknown where the text cannot be read again', async () => {
    const { client, asked } = answering('nothing of that shape', row);
    expect((await editIssue(client, effect, digestOf)).kind).toBe('unknown');
    expect(asked).toHaveLength(1);
  });
});
