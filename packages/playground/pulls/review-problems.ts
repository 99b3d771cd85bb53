/** Why a review or a line comment cannot be created, in GitHub's words. */

import { type Answer, invalidSimply, unprocessable } from '../api/reply.ts';
import { bodyTooLong } from '../threads/routes/issues.ts';
import { type Act, tooLong } from '../threads/threads.ts';
import { type PullIssue, reviewsOf } from '../world/lookup.ts';
import { linesOfPatch } from './diff-lines.ts';
import { filesOfPull } from './pull-content.ts';

type NewLineComment = {
  readonly path: string;
  readonly body: string;
  readonly line?: number | undefined;
  readonly start_line?: number | undefined;
  readonly side: 'LEFT' | 'RIGHT';
  readonly subject_type?: 'line' | 'file' | undefined;
};
type NewReview = { readonly commit_id?: string | undefined; readonly comments: readonly NewLineComment[] };

/** Checked before anything is created: a review is posted completely or not at all. */
export async function reviewProblem(act: Act, issue: PullIssue, body: NewReview): Promise<Answer | null> {
  const open = reviewsOf(act.world, issue).some(
    ({ state, authorId }) => state === 'PENDING' && authorId === act.actor.id,
  );
  if (open) return invalidSimply(['User can only have one pending review per pull request']);
  if (body.commit_id !== undefined && !(await isOfPull(act, issue, body.commit_id)))
    return unprocessable(`The commit_id ${body.commit_id} is not part of the pull request.`);
  for (const comment of body.comments) {
    if (tooLong(comment.body)) return bodyTooLong('PullRequestReviewComment');
    const words = await lineProblem(act, issue, comment);
    if (words !== null) return invalidSimply([words]);
  }
  return null;
}

/** Whether a commit belongs to the pull request: its head, or a commit that the head has and the base does not. */
export async function isOfPull(act: Act, { pull }: PullIssue, sha: string): Promise<boolean> {
  const store = act.world.gitOf(act.repo);
  if ((await store.readCommit(sha)) === null) return false;
  return (await store.isAncestor(sha, pull.headSha)) && !(await store.isAncestor(sha, pull.baseSha));
}

/** Why the diff has no such line, in GitHub's words, or null. A comment on the whole file needs no line. */
export async function lineProblem(
  act: Act,
  issue: PullIssue,
  { path, line, start_line: startLine, side, subject_type: subject }: NewLineComment,
): Promise<string | null> {
  const file = (await filesOfPull(act.world, issue)).find((one) => one.path === path);
  if (file === undefined) return 'Path could not be resolved';
  if (subject === 'file') return null;
  const shown = linesOfPatch(file.patch ?? '', side);
  if (line === undefined || !shown.has(line)) return 'Pull request review thread line must be part of the diff';
  if (startLine === undefined) return null;
  if (startLine >= line) return 'Pull request review thread start line must precede the end line.';
  return shown.has(startLine)
    ? null
    : 'Pull request review thread start line must be part of the same hunk as the line.';
}
