/** Why a review or a line comment cannot be created, in GitHub's words. */

import { type Answer, invalidAnswerWithMessages, unprocessableAnswer } from '../api/reply.ts';
import { bodyTooLong } from '../threads/routes/issues.ts';
import { type Act, isTooLong } from '../threads/threads.ts';
import { listReviewsOf, type PullIssue } from '../world/lookup.ts';
import { listPatchLines } from './diff-lines.ts';
import { readPullFiles } from './pull-content.ts';

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
export async function findReviewProblem(act: Act, issue: PullIssue, body: NewReview): Promise<Answer | null> {
  const open = listReviewsOf(act.world, issue).some(
    ({ state, authorId }) => state === 'PENDING' && authorId === act.actor.id,
  );
  if (open) return invalidAnswerWithMessages(['User can only have one pending review per pull request']);
  if (body.commit_id !== undefined && !(await isCommitOfPull(act, issue, body.commit_id)))
    return unprocessableAnswer(`The commit_id ${body.commit_id} is not part of the pull request.`);
  for (const comment of body.comments) {
    if (isTooLong(comment.body)) return bodyTooLong('PullRequestReviewComment');
    const words = await findLineProblem(act, issue, comment);
    if (words !== null) return invalidAnswerWithMessages([words]);
  }
  return null;
}

/** Whether a commit belongs to the pull request: its head, or a commit that the head has and the base does not. */
export async function isCommitOfPull(act: Act, { pull }: PullIssue, sha: string): Promise<boolean> {
  const store = act.world.gitOf(act.repo);
  if ((await store.readCommit(sha)) === null) return false;
  return (await store.isAncestor(sha, pull.headSha)) && !(await store.isAncestor(sha, pull.baseSha));
}

/** Why the diff has no such line, in GitHub's words, or null. A comment on the whole file needs no line. */
export async function findLineProblem(
  act: Act,
  issue: PullIssue,
  { path, line, start_line: startLine, side, subject_type: subject }: NewLineComment,
): Promise<string | null> {
  const file = (await readPullFiles(act.world, issue)).find((one) => one.path === path);
  if (file === undefined) return 'Path could not be resolved';
  if (subject === 'file') return null;
  const shown = listPatchLines(file.patch ?? '', side);
  if (line === undefined || !shown.has(line)) return 'Pull request review thread line must be part of the diff';
  if (startLine === undefined) return null;
  if (startLine >= line) return 'Pull request review thread start line must precede the end line.';
  return shown.has(startLine)
    ? null
    : 'Pull request review thread start line must be part of the same hunk as the line.';
}
