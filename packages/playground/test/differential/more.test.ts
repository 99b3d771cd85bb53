/**
 * More requests to both the playground and `emulate` 0.12.2: issues, labels, paged comments, pull requests, contents,
 * tags, comparisons, checks, roles. Where the two differ, the test names the one that matches GitHub, with the source.
 */

import type { Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { both, type Step, startEmulator } from './emulated.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());

const R = '/repos/{owner}/{repo}';
const base64 = (words: string): string => Buffer.from(words).toString('base64');

/** A branch with one commit of its own, created by the git routes. */
async function branch(ask: Parameters<Step>[0], name: string, path: string): Promise<string> {
  const main = await ask(`GET ${R}/git/ref/{ref}`, { ref: 'heads/main' });
  const parent = String(main.data['object']?.sha);
  const before = await ask(`GET ${R}/git/commits/{sha}`, { sha: parent });
  const tree = await ask(`POST ${R}/git/trees`, {
    base_tree: before.data['tree']?.sha,
    tree: [{ path, mode: '100644', type: 'blob', content: 'new\n' }],
  });
  const commit = await ask(`POST ${R}/git/commits`, {
    message: `Add ${path}\n`,
    tree: tree.data.sha,
    parents: [parent],
  });
  await ask(`POST ${R}/git/refs`, { ref: `refs/heads/${name}`, sha: commit.data.sha });
  return commit.data.sha;
}

const list = (data: unknown): readonly Record<string, unknown>[] => (Array.isArray(data) ? data : []);

const agree: readonly (readonly [string, Step])[] = [
  [
    'edit, close and reopen an issue, and list it by state',
    async (ask) => {
      const made = await ask(`POST ${R}/issues`, { title: 'Daily', body: 'b' });
      const at = { issue_number: made.data.number };
      const renamed = await ask(`PATCH ${R}/issues/{issue_number}`, { ...at, title: 'Renamed' });
      await ask(`PATCH ${R}/issues/{issue_number}`, { ...at, state: 'closed' });
      const open = list((await ask(`GET ${R}/issues`, { state: 'open' })).data);
      const again = await ask(`PATCH ${R}/issues/{issue_number}`, { ...at, state: 'open' });
      const gone = await ask(`GET ${R}/issues/{issue_number}`, { issue_number: 9_999 });
      const mine = open.filter(({ number }) => number === made.data.number);
      return [renamed.status, String(renamed.data['title']), mine.length, String(again.data['state']), gone.status];
    },
  ],
  [
    'add labels to an issue and remove them',
    async (ask) => {
      for (const name of ['one', 'two']) await ask(`POST ${R}/labels`, { name, color: 'ffffff' });
      const at = { issue_number: (await ask(`POST ${R}/issues`, { title: 'L' })).data.number };
      const names = (data: unknown): string =>
        list(data)
          .map(({ name }) => name)
          .toSorted()
          .join();
      const added = await ask(`POST ${R}/issues/{issue_number}/labels`, { ...at, labels: ['one', 'two'] });
      const without = await ask(`DELETE ${R}/issues/{issue_number}/labels/{name}`, { ...at, name: 'one' });
      const twice = await ask(`DELETE ${R}/issues/{issue_number}/labels/{name}`, { ...at, name: 'one' });
      return [added.status, names(added.data), without.status, names(without.data), twice.status];
    },
  ],
  [
    'page comments, and let their author edit and delete them',
    async (ask) => {
      const at = { issue_number: (await ask(`POST ${R}/issues`, { title: 'C' })).data.number };
      const ids: number[] = [];
      for (const body of ['1', '2', '3'])
        ids.push((await ask(`POST ${R}/issues/{issue_number}/comments`, { ...at, body })).data.id);
      const page = await ask(`GET ${R}/issues/{issue_number}/comments`, { ...at, per_page: 2, page: 2 });
      const one = { comment_id: ids[0] };
      const edited = await ask(`PATCH ${R}/issues/comments/{comment_id}`, { ...one, body: 'changed' });
      const deleted = await ask(`DELETE ${R}/issues/comments/{comment_id}`, one);
      const gone = await ask(`GET ${R}/issues/comments/{comment_id}`, one);
      const bodies = list(page.data).map(({ body }) => body);
      return [page.status, bodies.join(), String(edited.data['body']), deleted.status, gone.status];
    },
  ],
  [
    'open a pull request, accept a review of it, and list it',
    async (ask, other) => {
      const sha = await branch(ask, 'topic', 'topic.txt');
      const made = await ask(`POST ${R}/pulls`, { title: 'P', head: 'topic', base: 'main' });
      const at = { pull_number: made.data.number };
      const review = await other(`POST ${R}/pulls/{pull_number}/reviews`, { ...at, event: 'COMMENT', body: 'ok' });
      const open = list((await ask(`GET ${R}/pulls`, { state: 'open' })).data);
      return [made.status, String(made.data['head']?.sha === sha), String(review.data['state']), open.length];
    },
  ],
  [
    'require the right sha to delete a file, and compare two commits',
    async (ask) => {
      const put = await ask(`PUT ${R}/contents/{path}`, { path: 'x.txt', message: 'X', content: base64('x\n') });
      const wrong = { path: 'x.txt', message: 'D', sha: '0'.repeat(40) };
      const refused = await ask(`DELETE ${R}/contents/{path}`, wrong);
      const right = { ...wrong, sha: put.data['content']?.sha };
      const deleted = await ask(`DELETE ${R}/contents/{path}`, right);
      const gone = await ask(`GET ${R}/contents/{path}`, { path: 'x.txt' });
      const basehead = `${put.data['commit']?.sha}...${deleted.data['commit']?.sha}`;
      const compared = await ask(`GET ${R}/compare/{basehead}`, { basehead });
      const files = list(compared.data['files']).map(({ filename, status }) => `${filename} ${status}`);
      return [refused.status, deleted.status, gone.status, String(compared.data['status']), files.join()];
    },
  ],
  [
    'give a tree the same id as git, and refuse a missing blob and a ref to nothing',
    async (ask) => {
      const main = await ask(`GET ${R}/git/ref/{ref}`, { ref: 'heads/main' });
      const blob = await ask(`POST ${R}/git/blobs`, { content: 'tagged\n' });
      const tree = await ask(`POST ${R}/git/trees`, {
        tree: [{ path: 'a', mode: '100644', type: 'blob', sha: blob.data.sha }],
      });
      const missing = await ask(`GET ${R}/git/blobs/{file_sha}`, { file_sha: '0'.repeat(40) });
      const bad = await ask(`POST ${R}/git/refs`, { ref: 'refs/tags/v1', sha: '0'.repeat(40) });
      return [main.status, blob.status, tree.data.sha, missing.status, bad.status];
    },
  ],
];

describe('where the other emulator is right, both agree:', () => {
  it.each(agree)('%s', async (_, step) => {
    const { ours, theirs } = await both(emulator, step);
    expect(ours).toEqual(theirs);
  });
});

/** The two answers; the first is GitHub's. */
const differ: readonly (readonly [string, Step, readonly unknown[], readonly unknown[]])[] = [
  [
    'refuses to delete another person’s comment (docs: rest/issues/comments, push access)',
    async (ask, other) => {
      const at = { issue_number: (await ask(`POST ${R}/issues`, { title: 'D' })).data.number };
      const comment = await ask(`POST ${R}/issues/{issue_number}/comments`, { ...at, body: 'mine' });
      return [(await other(`DELETE ${R}/issues/comments/{comment_id}`, { comment_id: comment.data.id })).status];
    },
    [403],
    [204],
  ],
  [
    'refuses an outsider’s comment in a locked thread (docs: locking conversations)',
    async (ask, other) => {
      const at = { issue_number: (await ask(`POST ${R}/issues`, { title: 'K' })).data.number };
      await ask(`PUT ${R}/issues/{issue_number}/lock`, { ...at, lock_reason: 'resolved' });
      return [(await other(`POST ${R}/issues/{issue_number}/comments`, { ...at, body: 'but' })).status];
    },
    [403],
    [201],
  ],
  [
    'refuses a second pull request of one branch, and lists only its own commits (docs: rest/pulls)',
    async (ask, other) => {
      await branch(ask, 'twin', 'twin.txt');
      const wish = { title: 'P', head: 'twin', base: 'main' };
      const made = await ask(`POST ${R}/pulls`, wish);
      const twice = await ask(`POST ${R}/pulls`, wish);
      const at = { pull_number: made.data.number };
      const review = await other(`POST ${R}/pulls/{pull_number}/reviews`, { ...at, event: 'COMMENT', body: 'ok' });
      const commits = await ask(`GET ${R}/pulls/{pull_number}/commits`, at);
      return [made.status, twice.status, review.status, list(commits.data).length];
    },
    [201, 422, 200, 1],
    [201, 201, 201, 2],
  ],
  [
    'serves commit statuses (docs: rest/commits/statuses)',
    async (ask) => {
      const main = await ask(`GET ${R}/git/ref/{ref}`, { ref: 'heads/main' });
      const wish = { sha: main.data['object']?.sha, state: 'success', context: 'ci' };
      return [(await ask(`POST ${R}/statuses/{sha}`, wish)).status];
    },
    [201],
    [404],
  ],
  [
    'lists the changed files of a pull request, and serves its diff (docs: rest/pulls, list files)',
    async (ask) => {
      await branch(ask, 'files', 'files.txt');
      const made = await ask(`POST ${R}/pulls`, { title: 'F', head: 'files', base: 'main' });
      const files = await ask(`GET ${R}/pulls/{pull_number}/files`, { pull_number: made.data.number });
      const diff = await ask(`GET ${R}/pulls/{pull_number}`, {
        pull_number: made.data.number,
        mediaType: { format: 'diff' },
      });
      return [list(files.data).length, typeof diff.data === 'string' ? 'text' : 'object'];
    },
    [1, 'text'],
    [0, 'object'],
  ],
  [
    'reports the permission of an account without a role (docs: rest/collaborators, permission)',
    async (ask, other) => {
      const username = String((await other('GET /user')).data['login']);
      const permission = await ask(`GET ${R}/collaborators/{username}/permission`, { username });
      return [permission.status];
    },
    [200],
    [404],
  ],
];

describe('where the other emulator is wrong, the playground does what GitHub does:', () => {
  it.each(differ)('%s', async (_, step, github, emulated) => {
    expect(await both(emulator, step)).toEqual({ ours: github, theirs: emulated });
  });
});
