/** Changes as texts for git: `.diff` for `git apply`, `.patch` for `git am` (git-scm.com/docs/git-format-patch). */

import { type Answer, rawAnswer } from '../api/reply.ts';
import { countLines } from './shape-commit.ts';
import type { CommitObject, FileChange, GitStore } from './store/git-store.ts';

/** The text that `Accept` requests, or null if JSON is acceptable. */
export async function patchOrDiffText(
  store: GitStore,
  accept: string,
  files: readonly FileChange[],
  /** Oldest first. */
  commits: readonly CommitObject[],
): Promise<Answer | null> {
  if (accept.includes('.diff'))
    return rawAnswer(Buffer.from(diffText(files)), 'application/vnd.github.diff; charset=utf-8');
  if (!accept.includes('.patch')) return null;
  // A merge commit has no patch of its own.
  const own = commits.filter(({ parents }) => parents.length < 2);
  const mails = await Promise.all(own.map((commit, index) => patchMail(store, commit, index + 1, own.length)));
  return rawAnswer(Buffer.from(mails.join('')), 'application/vnd.github.patch; charset=utf-8');
}

async function patchMail(store: GitStore, commit: CommitObject, number: number, count: number): Promise<string> {
  const files = await store.diff(commit.parents[0] ?? (await store.writeTree([])), commit.sha);
  const [headline = '', ...rest] = commit.message.trim().split('\n');
  const { additions, deletions } = countLines(files);
  const { name, email, atMs } = commit.author;
  const body = rest.join('\n').trim();
  return [
    `From ${commit.sha} Mon Sep 17 00:00:00 2001`,
    `From: ${name} <${email}>`,
    `Date: ${new Date(atMs).toUTCString().replace('GMT', '+0000')}`,
    `Subject: [PATCH${count === 1 ? '' : ` ${number}/${count}`}] ${headline}`,
    '',
    ...(body === '' ? [] : [body, '']),
    '---',
    ...files.map((file) => ` ${file.path} | ${file.additions + file.deletions}`),
    ` ${files.length} files changed, ${additions} insertions(+), ${deletions} deletions(-)`,
    '',
    diffText(files).trimEnd(),
    '',
    '',
  ].join('\n');
}

/** The text of `Accept: application/vnd.github.diff`, as git prints it, from the files' hunks. */
function diffText(files: readonly FileChange[]): string {
  return files
    .map((file) => {
      const from = file.previousPath ?? file.path;
      const head = [`diff --git a/${from} b/${file.path}`];
      if (file.status === 'added') head.push('new file mode 100644');
      if (file.status === 'removed') head.push('deleted file mode 100644');
      if (file.previousPath !== null) head.push(`rename from ${from}`, `rename to ${file.path}`);
      if (file.patch === null) return `${head.join('\n')}\n`;
      head.push(file.status === 'added' ? '--- /dev/null' : `--- a/${from}`);
      head.push(file.status === 'removed' ? '+++ /dev/null' : `+++ b/${file.path}`);
      return `${head.join('\n')}\n${file.patch.replace(/\n$/, '')}\n`;
    })
    .join('');
}
