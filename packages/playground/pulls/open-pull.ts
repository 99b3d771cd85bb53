/** Opens and merges pull requests. */

import { type MergeMethod, writeMerge } from '../git/git-merge.ts';
import { moveRef } from '../git/move-refs.ts';
import { updatePullRefs } from '../git/pull-refs.ts';
import { userSignature, webFlowSignature } from '../git/shape-commit.ts';
import type { Signature } from '../git/store/git-store.ts';
import type { Pull } from '../threads/state-threads.ts';
import {
  type Act,
  createAuthored,
  emitIssue,
  putIssue,
  reloadThread,
  rereadRepo,
  takeNumber,
} from '../threads/threads.ts';
import { asPull, type PullIssue, repoById, requireRow, userById } from '../world/lookup.ts';
import { nextId } from '../world/world.ts';
import { readPullCommits } from './pull-content.ts';

export type NewPull = {
  readonly title: string;
  readonly body: string;
  readonly headRef: string;
  /** The repository of the head; different for a pull request from a fork. */
  readonly headRepoId?: number;
  readonly headSha: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly draft: boolean;
};

export async function openPull(act: Act, wanted: NewPull): Promise<PullIssue> {
  const number = takeNumber(act);
  const { title, body, headRepoId = act.repo.id, ...branches } = wanted;
  const pull: Pull = {
    id: nextId(act.world, 'pulls'),
    headRepoId,
    ...branches,
    mergedAtMs: null,
    mergedById: null,
    mergeCommitSha: null,
    requestedReviewerIds: [],
    reviewIds: [],
    reviewCommentIds: [],
  };
  const issue = {
    ...createAuthored(act, 'issues', body),
    ...reloadThread,
    repoId: act.repo.id,
    number,
    title,
    pull,
  } as const;
  const opened = await updatePullRefs(act, issue);
  await emitIssue(act, opened, 'opened');
  return opened;
}

export type MergeWish = {
  readonly method: MergeMethod;
  readonly title: string | undefined;
  readonly message: string | undefined;
};

export type MergeOutcome =
  | { readonly ok: true; readonly sha: string }
  | { readonly ok: false; readonly reason: 'conflict' | 'base-moved' | 'protected' };

/**
 * Writes the merge and moves the base branch by compare-and-set. Other open pull requests are updated to the new base.
 */
export async function mergePull(act: Act, issue: PullIssue, wish: MergeWish): Promise<MergeOutcome> {
  const now = act.world.clock.now();
  const { pull } = issue;
  const sha = await writeMerge(act.world.gitOf(act.repo), {
    method: wish.method,
    base: pull.baseSha,
    head: pull.headSha,
    message: await mergeMessage(act, issue, wish),
    ...chooseSigners(act, issue, wish.method, now),
  });
  if (sha === null) return { ok: false, reason: 'conflict' };
  // Close it before the branch moves: the push handlers must not mistake this for a manual merge.
  const open = rereadPull(act, issue);
  const merged = { mergedAtMs: now, mergedById: act.actor.id, mergeCommitSha: sha };
  const closed = { state: 'closed', closedAtMs: now, closedById: act.actor.id, updatedAtMs: now } as const;
  putIssue(act.world, { ...open, ...closed, pull: { ...pull, ...merged } });
  const to = { ref: `refs/heads/${pull.baseRef}`, sha, expected: pull.baseSha };
  const outcome = await moveRef(act, to, 'merge');
  if (outcome !== 'updated') {
    putIssue(act.world, open);
    const isProtected = outcome === 'protected' || outcome.startsWith('rule/');
    return { ok: false, reason: isProtected ? 'protected' : 'base-moved' };
  }
  await emitIssue(act, rereadPull(act, issue), 'closed');
  if (rereadRepo(act).options?.deleteBranchOnMerge === true && pull.headRepoId === act.repo.id)
    await moveRef(act, { ref: `refs/heads/${pull.headRef}`, sha: null });
  return { ok: true, sha };
}

/**
 * The author and committer of a merge. A merge commit is by the merger and a squash by the pull request's author, both
 * committed by GitHub. Rebased commits keep their authors and are committed by the merger (docs.github.com: about merge
 * methods).
 */
function chooseSigners(
  act: Act,
  issue: PullIssue,
  method: MergeMethod,
  now: number,
): { readonly author: Signature; readonly committer: Signature } {
  const merger = userSignature(act.actor, now);
  if (method === 'rebase') return { author: merger, committer: merger };
  const author = method === 'squash' ? userSignature(userById(act.world, issue.authorId), now) : merger;
  return { author, committer: webFlowSignature(now) };
}

/** GitHub's default messages for the three buttons. */
async function mergeMessage(act: Act, issue: PullIssue, wish: MergeWish): Promise<string> {
  const headRepo = repoById(act.world, issue.pull.headRepoId);
  if (wish.method === 'squash') {
    const commits = await readPullCommits(act.world, issue);
    const list = commits.map((one) => `* ${one.message.trim()}`).join('\n\n');
    const [only] = commits.length === 1 ? commits : [];
    // A single commit's message is reused; several give the pull request's title and a list of their messages.
    const [headline = '', ...rest] = only?.message.split('\n') ?? [issue.title];
    const text = only === undefined ? list : rest.join('\n').trim();
    return joinMessage(wish.title ?? `${headline} (#${issue.number})`, wish.message ?? text);
  }
  const fallback = `Merge pull request #${issue.number} from ${headRepo.owner}/${issue.pull.headRef}`;
  return joinMessage(wish.title ?? fallback, wish.message ?? issue.title);
}

function joinMessage(title: string, message: string): string {
  return message === '' ? `${title}\n` : `${title}\n\n${message}\n`;
}

/** The pull request as it is now. */
export function rereadPull(act: Act, issue: PullIssue): PullIssue {
  const row = act.world.state.issues[`${issue.repoId}#${issue.number}`];
  return requireRow(row === undefined ? null : asPull(row), `pull request ${issue.number}`);
}
