/**
 * Threads longer than a page: read as far back as requested, or unknown; an ordinary thread costs one
 * request.
 */

import { describe, expect, it } from 'vitest';
import { brandAs, isDigest } from '../../src/domain/values.ts';
import { createClient, type GitHubClient } from '../../src/github/call.ts';
import { THREAD_COMMENTS_MAX } from '../../src/github/thread-comments.ts';
import { readThreads } from '../../src/github/threads.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { instant } from '../support/run-facts.ts';

const READING = {
  digestOf: (text: string) => brandAs(`sha256:${sha256Hex(text)}`, isDigest),
  ownBots: ['lab-ferry'],
  ownWorkflows: [],
  markerOf: () => null,
  issueMarkerOf: () => null,
};
const PROPOSAL = { pull: 2, issue: 1 };
const author = { __typename: 'User', login: 'mira', databaseId: 7 };
const START = Date.parse('2026-11-20T00:00:00Z');

/** The n-th entry; one per minute. */
function written(n: number): object {
  const at = new Date(START + n * 60_000).toISOString().replace('.000', '');
  const times = { createdAt: at, updatedAt: at, lastEditedAt: null };
  return { id: `IC_${n}`, databaseId: n, body: `line ${n}`, ...times, viewerDidAuthor: false, author };
}

/** The last `size` entries before a position, as GraphQL returns them. */
function lastOf(entries: readonly object[], size: number, before: string | null): object {
  const end = before === null ? entries.length : Number(before);
  const start = Math.max(0, end - size);
  const pageInfo = { hasPreviousPage: start > 0, startCursor: String(start), hasNextPage: false, endCursor: null };
  return { nodes: entries.slice(start, end), pageInfo };
}

type Said = {
  readonly pull?: number;
  readonly issue?: number;
  readonly reviews?: readonly object[];
  /** Line comments of each review; the first page shows the last twenty. */
  readonly lines?: number;
  /** The role of the author of all entries. */
  readonly role?: string;
  /** The error for the issue: missing, or not readable. */
  readonly issueFault?: { readonly type?: string; readonly path: readonly string[] };
  /** The number of the request that is answered with an error. */
  readonly brokenAt?: number;
};

/** GitHub with these threads, and a client for it. */
function github(said: Said): GitHubClient {
  const entries = (count = 0): readonly object[] => Array.from({ length: count }, (_, n) => written(n));
  const lines = entries(said.lines);
  const reviews = said.reviews ?? [];
  const pull = { id: 'PR_1', number: 2, title: 't', body: 'b', state: 'OPEN', merged: false, author };
  const refs = {
    headRefName: 'h',
    headRefOid: 'a'.repeat(40),
    baseRefName: 'main',
    headRepository: null,
    isDraft: false,
  };
  const labels = { nodes: [{ name: 'ferry' }] };
  let requests = 0;
  const answer = ({ query, variables }: { query: string; variables: Record<string, string> }): object => {
    requests += 1;
    if (requests === said.brokenAt) return { errors: [{ message: 'Something went wrong' }] };
    const before = variables['cursor'] ?? null;
    if (!query.includes('node(id: $id)')) {
      const edits = { nodes: [], pageInfo: { ...(lastOf([], 1, null) as { pageInfo: object }).pageInfo } };
      const issue = {
        id: 'I_1',
        number: 1,
        title: 't',
        body: 'b',
        state: 'OPEN',
        createdAt: '2026-11-20T00:00:00Z',
        updatedAt: '2026-11-21T00:00:00Z',
        lastEditedAt: null,
      };
      const inPull = { comments: lastOf(entries(said.pull), 100, null), reviews: lastOf(reviews, 50, null) };
      const repository = {
        pullRequest: { ...pull, ...refs, labels, includesCreatedEdit: false, userContentEdits: edits, ...inPull },
        issue: {
          ...issue,
          author,
          labels,
          includesCreatedEdit: false,
          userContentEdits: edits,
          comments: lastOf(entries(said.issue), 100, null),
        },
      };
      return said.issueFault === undefined
        ? { data: { repository } }
        : { data: { repository: { ...repository, issue: null } }, errors: [{ message: 'no', ...said.issueFault }] };
    }
    const from = { PR_1: query.includes('reviews(') ? reviews : entries(said.pull), I_1: entries(said.issue) };
    const id = variables['id'] ?? '';
    const page = id === 'PR_1' || id === 'I_1' ? lastOf(from[id], 100, before) : lastOf(lines, 100, before);
    return { data: { node: { page } } };
  };
  return createClient({
    octokit: {
      request: async (route, parameters) => ({
        status: 200,
        data: route.endsWith('/permission')
          ? { permission: said.role ?? 'write', role_name: said.role ?? 'write', user: { id: 7, login: 'mira' } }
          : // The client sends a query and its variables, nothing else.
            answer(parameters as unknown as { query: string; variables: Record<string, string> }),
        headers: {},
      }),
    },
    owner: 'lab',
    repo: 'models',
    baseUrl: 'https://api.github.example',
    sleep: async () => undefined,
    now: () => START,
  });
}

function review(n: number, lines: number): object {
  const all = Array.from({ length: lines }, (_, index) => written(index));
  const submittedAt = '2026-11-20T12:00:00Z';
  return { ...written(n), id: `PRR_${n}`, state: 'COMMENTED', submittedAt, comments: lastOf(all, 20, null) };
}

describe('the threads of a run', () => {
  it('of ordinary length cost one request', async () => {
    const client = github({ pull: 100, issue: 30, reviews: [review(1, 20)], lines: 20 });
    const read = await readThreads(client, PROPOSAL, READING);
    expect(read.kind === 'known' && read.value.comments).toHaveLength(100 + 30 + 1 + 20);
    expect(client.usage.graphql).toBe(1);
  });

  it('are read back to their start on every surface', async () => {
    const reviews = Array.from({ length: 130 }, (_, n) => review(n, 45));
    const client = github({ pull: 345, issue: 201, reviews, lines: 45 });
    const read = await readThreads(client, PROPOSAL, READING);
    if (read.kind === 'unknown') throw new Error(read.why);
    const count = (surface: string): number =>
      new Set(read.value.comments.flatMap((c) => (c.surface === surface ? [`${c.thread} ${c.id}`] : []))).size;
    expect(count('comment')).toBe(345 + 201);
    expect(count('review')).toBe(130);
    expect(read.value.comments.filter((c) => c.surface === 'review-comment')).toHaveLength(130 * 45);
  });

  // threat T197
  it('are read only partly in reviews by a person without a role', async () => {
    const reviews = Array.from({ length: 130 }, (_, n) => review(n, 45));
    const client = github({ reviews, lines: 45, role: 'read' });
    const read = await readThreads(client, PROPOSAL, READING);
    expect(client.usage).toMatchObject({ graphql: 2, rest: 1 });
    const lines = read.kind === 'known' ? read.value.comments.filter((c) => c.surface === 'review-comment') : [];
    expect(lines.filter(({ id }) => id === 44)).toHaveLength(130);
  });

  it('are only those of the pull request if GitHub has no such issue', async () => {
    const issueFault = { type: 'NOT_FOUND', path: ['repository', 'issue'] };
    const read = await readThreads(github({ pull: 3, issue: 5, issueFault }), PROPOSAL, READING);
    if (read.kind === 'unknown') throw new Error(read.why);
    expect(read.value.comments.map(({ thread }) => thread)).toEqual([2, 2, 2]);
    expect(read.value.issue).toEqual({ kind: 'unknown', why: 'there is no issue #1' });
  });

  it.each([
    { type: 'FORBIDDEN', path: ['repository', 'issue'] },
    { path: ['repository', 'issue'] },
    { type: 'NOT_FOUND', path: ['repository', 'issue', 'comments'] },
    { type: 'NOT_FOUND', path: ['repository'] },
  ])('are unknown if the issue cannot be read: %j', async (issueFault) => {
    expect((await readThreads(github({ pull: 3, issueFault }), PROPOSAL, READING)).kind).toBe('unknown');
  });

  it('are read no further back than the start of the run', async () => {
    const client = github({ pull: 1_000 });
    const since = instant(new Date(START + 750 * 60_000).toISOString());
    const read = await readThreads(client, PROPOSAL, READING, since);
    expect(client.usage.graphql).toBe(3);
    expect(read.kind === 'known' && read.value.comments.map((c) => c.id)).toEqual(expect.arrayContaining([750, 999]));
  });

  it('count a review from its submission, and ignore a draft', async () => {
    const draft = { ...review(4, 0), submittedAt: null };
    const read = await readThreads(github({ reviews: [review(3, 1), draft] }), PROPOSAL, READING);
    expect(read.kind === 'known' && read.value.comments.map((c) => [c.surface, c.id, c.createdAt])).toEqual([
      ['review', 3, instant('2026-11-20T12:00:00Z')],
      ['review-comment', 0, instant('2026-11-20T12:00:00Z')],
    ]);
  });

  it('are unknown above the size limit, not truncated', async () => {
    const read = await readThreads(github({ issue: THREAD_COMMENTS_MAX + 1 }), PROPOSAL, READING);
    expect(read).toEqual({ kind: 'unknown', why: `comments holds more than ${THREAD_COMMENTS_MAX} entries` });
  });

  it.each([1, 2, 3])('are unknown if page %d cannot be read', async (brokenAt) => {
    expect((await readThreads(github({ pull: 345, brokenAt }), PROPOSAL, READING)).kind).toBe('unknown');
  });
});
