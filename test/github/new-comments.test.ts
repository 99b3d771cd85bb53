/**
 * Lists that change while they are read: every comment is found once, with any number of comments and
 * concurrent edits.
 */

import { describe, expect, it } from 'vitest';
import { createClient, type GitHubClient } from '../../src/github/call.ts';
import { listNewComments, listNewReviews } from '../../src/github/thread-comments.ts';
import { instant } from '../support/run-facts.ts';

const START = Date.parse('2026-11-20T00:00:00Z');
const SINCE = instant('2026-11-19T00:00:00Z');
const user = { id: 7, login: 'mira', type: 'User' };
const seconds = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

type Row = { readonly id: number; updatedAt: number };

/** A repository's comments behind GitHub's list; `afterPage` may change them between two pages. */
function github(rows: Row[], afterPage: (page: number, rows: Row[]) => void = () => undefined): GitHubClient {
  let requests = 0;
  const answer = ({ since, page, per_page: size }: Record<string, unknown>): object[] => {
    const listed = rows
      .filter((row) => Math.floor(row.updatedAt / 1_000) * 1_000 >= Date.parse(String(since)))
      .toSorted((a, b) => a.updatedAt - b.updatedAt || a.id - b.id)
      .slice((Number(page) - 1) * Number(size), Number(page) * Number(size))
      .map((row) => ({
        id: row.id,
        body: '/status',
        issue_url: 'https://api.github.example/repos/lab/models/issues/13',
        created_at: seconds(START),
        updated_at: seconds(row.updatedAt),
        author_association: 'NONE',
        user,
      }));
    requests += 1;
    afterPage(requests, rows);
    return listed;
  };
  return createClient({
    octokit: { request: async (_, asked) => ({ status: 200, data: answer(asked), headers: {} }) },
    owner: 'lab',
    repo: 'models',
    baseUrl: 'https://api.github.example',
    sleep: async () => undefined,
    now: () => START,
  });
}

const rowsOf = (count: number, stepMs: number): Row[] =>
  Array.from({ length: count }, (_, id) => ({ id, updatedAt: START + id * stepMs }));

describe('the list of new comments', () => {
  it('is read in passes, each from the end of the last one, and no comment is missed', async () => {
    const client = github(rowsOf(950, 1_000));
    const ids = new Set<number>();
    let since = SINCE;
    for (let pass = 0; pass < 10; pass += 1) {
      const listed = await listNewComments(client, 'comment', since, 2);
      if (listed.kind === 'unknown') throw new Error(listed.why);
      for (const { id } of listed.value.found) ids.add(id);
      since = listed.value.next;
      if (listed.value.isWhole) break;
    }
    expect(ids.size).toBe(950);
    expect(client.usage.rest).toBeLessThan(15);
  });

  it('misses no comment if a comment of an earlier page is edited meanwhile', async () => {
    const client = github(rowsOf(450, 1_000), (page, rows) => {
      for (const row of rows.slice((page - 1) * 10, page * 10)) row.updatedAt = START + 10_000_000 + row.id;
    });
    const listed = await listNewComments(client, 'comment', SINCE, 20);
    expect(listed.kind === 'known' && new Set(listed.value.found.map(({ id }) => id)).size).toBe(450);
  });

  it('continues by pages if more than one page was written in one second', async () => {
    const client = github(rowsOf(350, 1));
    const listed = await listNewComments(client, 'comment', SINCE, 20);
    expect(listed).toMatchObject({ kind: 'known', value: { isWhole: true } });
    expect(listed.kind === 'known' && listed.value.found).toHaveLength(350);
  });

  it('reports who is an outsider, and which comments may have been edited', async () => {
    const listed = await listNewComments(github(rowsOf(2, 5_000)), 'comment', SINCE, 1);
    expect(listed).toMatchObject({
      value: {
        found: [
          { isEdited: false, author: { id: 7, isOutsider: true } },
          { isEdited: true, thread: 13 },
        ],
      },
    });
  });

  it('is unknown if a page cannot be read', async () => {
    const client = github(rowsOf(250, 1_000), (page) => {
      if (page === 2) throw Object.assign(new Error('no'), { name: 'HttpError', status: 404 });
    });
    expect((await listNewComments(client, 'comment', SINCE, 20)).kind).toBe('unknown');
  });
});

it('reviews that are drafts or older are skipped; more than the limit is unknown', async () => {
  const review = (id: number, submitted: string | null): object => ({ id, body: '', submitted_at: submitted, user });
  const rows = [review(1, '2026-11-18T00:00:00Z'), review(2, null), review(3, '2026-11-19T00:00:00Z')];
  const full = Array.from({ length: 100 }, (_, id) => review(id, '2026-11-20T00:00:00Z'));
  const client = (data: readonly object[]): GitHubClient => ({
    ...github([]),
    octokit: { request: async () => ({ status: 200, data, headers: {} }) },
  });
  const listed = await listNewReviews(client(rows), 2, SINCE, 5);
  expect(listed.kind === 'known' && listed.value.map(({ id }) => id)).toEqual([3]);
  expect((await listNewReviews(client(full), 2, SINCE, 2)).kind).toBe('unknown');
});
