/**
 * The same requests to the playground and to `emulate` 0.12.2, an independent emulator. Where that one is right (git
 * objects and refs, contents, comments, labels) both give the same status and the same facts. Where it is wrong, a test
 * states what GitHub does.
 */

import { Octokit } from '@octokit/core';
import type { Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTown } from '../world/town.ts';
import { askWith, both, type Step, startEmulator } from './emulated.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());

const agree: readonly (readonly [string, Step])[] = [
  [
    'give a blob, a tree and a commit the same ids as git',
    async (ask) => {
      const blob = await ask('POST /repos/{owner}/{repo}/git/blobs', { content: 'hello\n' });
      const tree = await ask('POST /repos/{owner}/{repo}/git/trees', {
        tree: [{ path: 'hello.txt', mode: '100644', type: 'blob', sha: blob.data.sha }],
      });
      const who = { name: 'Ada', email: 'ada@lab.example', date: '2026-11-21T06:00:00Z' };
      const commit = await ask('POST /repos/{owner}/{repo}/git/commits', {
        // With a final newline: the other emulator adds a missing one, but GitHub keeps a message exactly.
        message: 'Say hello\n',
        tree: tree.data.sha,
        parents: [],
        author: who,
        committer: who,
      });
      return [blob.status, blob.data.sha, tree.status, tree.data.sha, commit.status, commit.data.sha];
    },
  ],
  [
    'create a ref once and move it only forwards',
    async (ask) => {
      const main = await ask('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: 'heads/main' });
      const sha = main.data['object']?.sha;
      const made = await ask('POST /repos/{owner}/{repo}/git/refs', { ref: 'refs/heads/twin', sha });
      const twice = await ask('POST /repos/{owner}/{repo}/git/refs', { ref: 'refs/heads/twin', sha });
      const blob = await ask('POST /repos/{owner}/{repo}/git/trees', {
        tree: [{ path: 'x', mode: '100644', type: 'blob', content: 'x' }],
      });
      const lone = await ask('POST /repos/{owner}/{repo}/git/commits', {
        message: 'Alone',
        tree: blob.data.sha,
        parents: [],
      });
      const back = await ask('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ref: 'heads/twin', sha: lone.data.sha });
      return [made.status, twice.status, String(twice.data['message']), back.status];
    },
  ],
  [
    'refuse to overwrite a file that was changed in the meantime',
    async (ask) => {
      const file = { path: 'note.txt', message: 'Note' };
      const put = 'PUT /repos/{owner}/{repo}/contents/{path}';
      const text = (words: string): string => Buffer.from(words).toString('base64');
      const made = await ask(put, { ...file, content: text('one\n') });
      const wrong = await ask(put, { ...file, content: text('two\n'), sha: '0'.repeat(40) });
      const right = await ask(put, { ...file, content: text('two\n'), sha: made.data['content']?.sha });
      const read = await ask('GET /repos/{owner}/{repo}/contents/{path}', { path: 'note.txt' });
      return [made.status, wrong.status, right.status, String(read.data['content']).trim(), read.data.sha];
    },
  ],
  [
    'return comments and labels unchanged',
    async (ask) => {
      const issue = await ask('POST /repos/{owner}/{repo}/issues', { title: 'T', body: 'b' });
      const thread = { issue_number: issue.data.number };
      const comment = await ask('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...thread, body: 'hi' });
      const label = await ask('POST /repos/{owner}/{repo}/labels', { name: 'ferry', color: 'ffffff' });
      const again = await ask('POST /repos/{owner}/{repo}/labels', { name: 'ferry', color: 'ffffff' });
      const closed = await ask('PATCH /repos/{owner}/{repo}/issues/{issue_number}', { ...thread, state: 'closed' });
      return [
        issue.status,
        comment.status,
        String(comment.data['body']),
        label.status,
        again.status,
        String(closed.data['state']),
      ];
    },
  ],
];

describe('where the other emulator is right, both agree:', () => {
  it.each(agree)('%s', async (_, step) => {
    const { ours, theirs } = await both(emulator, step);
    expect(ours).toEqual(theirs);
  });
});

describe('where the other emulator is wrong, the playground does what GitHub does:', () => {
  it('refuses an unknown token (docs: authenticating to the REST API)', async () => {
    const town = createTown();
    const stranger = askWith(town.as('ghp_nobody'), 'lab');
    const theirs = askWith(new Octokit({ baseUrl: emulator.url, auth: 'ghp_nobody' }), 'ada');
    expect([(await stranger('GET /user')).status, (await theirs('GET /user')).status]).toEqual([401, 200]);
  });

  it('refuses a body of 65,537 characters (docs: the maximum is 65,536)', async () => {
    const long: Step = async (ask) => {
      const issue = await ask('POST /repos/{owner}/{repo}/issues', { title: 'T' });
      const thread = { issue_number: issue.data.number, body: 'x'.repeat(65_537) };
      return [(await ask('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', thread)).status];
    };
    expect(await both(emulator, long)).toEqual({ ours: [422], theirs: [201] });
  });

  it('accepts a reaction (docs.github.com/rest/reactions)', async () => {
    const react: Step = async (ask) => {
      const issue = await ask('POST /repos/{owner}/{repo}/issues', { title: 'T' });
      const thread = { issue_number: issue.data.number, content: 'eyes' };
      return [(await ask('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', thread)).status];
    };
    expect(await both(emulator, react)).toEqual({ ours: [201], theirs: [404] });
  });
});
