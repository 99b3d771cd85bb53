/** Routes of pull requests (docs.github.com/rest/pulls/pulls): list, open, get, update, files, commits, merge. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  contentRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { patchOrDiffText } from '../../git/patch-text.ts';
import { branchTip } from '../../git/resolve-commit.ts';
import { shapeCommit, shapeFile } from '../../git/shape-commit.ts';
import { isAllowed } from '../../identity/permissions.ts';
import { mergeRefusal } from '../../rules/merge-rules.ts';
import { findTextProblem } from '../../threads/routes/issues.ts';
import { emitIssue, putIssue, rereadRepo } from '../../threads/threads.ts';
import { applyIssueChanges } from '../../threads/update-issue.ts';
import { asPull, findPull, listIssuesOf, type PullIssue, repoById } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { mergePull, openPull, rereadPull } from '../open-pull.ts';
import { readPullCommits, readPullFiles } from '../pull-content.ts';
import { shapeFullPull, shapePull } from '../shape-pull.ts';

const read = repoAccess('pull_requests:read', 'public');
const open = repoAccess('pull_requests:write', 'anyone');
const merge = repoAccess('contents:write', 'write');

const creation = z.object({
  title: z.string(),
  head: z.string(),
  base: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().default(false),
});
const changes = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().optional(),
});
const merging = z.object({
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
});

export const pullRoutes: readonly Route[] = [
  readRoute('/pulls', read, listPulls),
  readRoute('/pulls/:number', read, getPull),
  contentRoute(writeRoute('POST', '/pulls', open, creation, createPull)),
  contentRoute(writeRoute('PATCH', '/pulls/:number', open, changes, updatePull)),
  readRoute('/pulls/:number/files', read, async (call) => {
    const issue = findPullOfCall(call);
    if (issue === null) return notFoundAnswer();
    const files = await readPullFiles(call.world, issue);
    return answerPage(call, files, (file) => shapeFile(call.world, call.repo, file, issue.pull.headSha));
  }),
  readRoute('/pulls/:number/commits', read, async (call) => {
    const issue = findPullOfCall(call);
    if (issue === null) return notFoundAnswer();
    return answerPage(call, await readPullCommits(call.world, issue), (one) => shapeCommit(call.world, call.repo, one));
  }),
  readRoute('/pulls/:number/merge', read, (call) => {
    const issue = findPullOfCall(call);
    return issue === null || issue.pull.mergedAtMs === null ? notFoundAnswer() : noContentAnswer();
  }),
  contentRoute(writeRoute('PUT', '/pulls/:number/merge', merge, merging, mergePullOfCall)),
];

/** The pull request with the number in `:number`. */
export function findPullOfCall(call: RepoCall): PullIssue | null {
  const number = Number(call.params['number']);
  return Number.isSafeInteger(number) ? findPull(call.world, call.repo, number) : null;
}

async function listPulls(call: RepoCall): Promise<Answer> {
  const state = call.query.get('state') ?? 'open';
  const head = call.query.get('head');
  const base = call.query.get('base');
  const rows = listIssuesOf(call.world, call.repo).flatMap((row) => asPull(row) ?? []);
  const found = rows.filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      (head === null || headLabel(call, issue).toLowerCase() === head.toLowerCase()) &&
      (base === null || issue.pull.baseRef === base),
  );
  const sign = call.query.get('direction') === 'asc' ? 1 : -1;
  const at = (issue: PullIssue): number =>
    call.query.get('sort') === 'updated' ? issue.updatedAtMs : issue.createdAtMs;
  const sorted = found.toSorted((a, b) => sign * (at(a) - at(b) || a.number - b.number));
  return answerPage(call, sorted, (issue) => shapePull(call.world, issue));
}

function headLabel(call: RepoCall, { pull }: PullIssue): string {
  return `${repoById(call.world, pull.headRepoId).owner}:${pull.headRef}`;
}

async function getPull(call: RepoCall): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (call.accept.includes('.diff') || call.accept.includes('.patch')) {
    const [files, commits] = await Promise.all([readPullFiles(call.world, issue), readPullCommits(call.world, issue)]);
    const text = await patchOrDiffText(call.world.gitOf(call.repo), call.accept, files, commits);
    if (text !== null) return text;
  }
  return okAnswer(await shapeFullPull(call.world, issue));
}

/** Runs one request at a time: of two simultaneous requests for one branch, GitHub refuses the second. */
async function createPull(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const { state } = call.world;
  const mine = (opening.get(state) ?? Promise.resolve(undefined)).then(() =>
    createNextPull({ ...call, repo: rereadRepo(call) }, body),
  );
  opening.set(
    state,
    mine.then(
      () => undefined,
      () => undefined,
    ),
  );
  return mine;
}

const opening = new WeakMap<ActorCall['world']['state'], Promise<undefined>>();

async function createNextPull(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const problem = findTextProblem('PullRequest', body.title, body.body ?? '');
  if (problem !== null) return problem;
  if (call.caller.kind === 'workflow' && !call.repo.actionsMayCreatePulls) {
    return failedAnswer(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  }
  const headRef = body.head.slice(body.head.indexOf(':') + 1);
  const headRepo = findHeadRepo(call, body.head);
  const store = call.world.gitOf(call.repo);
  const headSha = headRepo === null ? null : await branchTip(call.world.gitOf(headRepo), headRef);
  const baseSha = await branchTip(store, body.base);
  if (headRepo === null || headSha === null)
    return invalidAnswer([{ resource: 'PullRequest', field: 'head', code: 'invalid' }]);
  if (baseSha === null) return invalidAnswer([{ resource: 'PullRequest', field: 'base', code: 'invalid' }]);
  // docs.github.com/rest/pulls: "you must have write access to the head or the source branch".
  const mayOpen = [headRepo, call.repo].some((repo) =>
    isAllowed(call.world, call.caller, repo, 'pull_requests:write', 'write'),
  );
  if (!mayOpen) return failedAnswer(403, 'Must have push access to the head or the base repository.');
  const refusal = await findPullProblem(call, headRepo, headRef, headSha, body.base, baseSha);
  if (refusal !== null) return refusal;
  const branches = { headRepoId: headRepo.id, headRef, headSha, baseRef: body.base, baseSha };
  const issue = await openPull(call, { title: body.title, body: body.body ?? '', draft: body.draft, ...branches });
  return createdAnswer(await shapeFullPull(call.world, issue));
}

/** `owner:branch` is a branch of the repository itself or of the owner's fork. */
function findHeadRepo(call: ActorCall, head: string): Repo | null {
  const owner = head.includes(':') ? head.slice(0, head.indexOf(':')).toLowerCase() : null;
  if (owner === null || owner === call.repo.owner.toLowerCase()) return call.repo;
  const repos = Object.values(call.world.state.repos);
  return repos.find((one) => one.forkOfId === call.repo.id && one.owner.toLowerCase() === owner) ?? null;
}

async function findPullProblem(
  call: ActorCall,
  headRepo: Repo,
  headRef: string,
  headSha: string,
  baseRef: string,
  baseSha: string,
): Promise<Answer | null> {
  const twin = listIssuesOf(call.world, call.repo).find(
    (one) =>
      one.state === 'open' &&
      one.pull?.headRef === headRef &&
      one.pull.headRepoId === headRepo.id &&
      one.pull.baseRef === baseRef,
  );
  const about = { resource: 'PullRequest', field: 'head', code: 'custom' } as const;
  if (twin !== undefined) {
    return invalidAnswer([{ ...about, message: `A pull request already exists for ${headRepo.owner}:${headRef}.` }]);
  }
  const news = await call.world.gitOf(call.repo).log({ from: headSha, not: baseSha, limit: 1 });
  if (news.length > 0) return null;
  return invalidAnswer([{ ...about, message: `No commits between ${baseRef} and ${headRef}` }]);
}

async function updatePull(call: ActorCall, body: z.infer<typeof changes>): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (
    issue.authorId !== call.actor.id &&
    !isAllowed(call.world, call.caller, call.repo, 'pull_requests:write', 'write')
  ) {
    return failedAnswer(403, 'Must have push access to the repository.');
  }
  const problem = findTextProblem('PullRequest', body.title ?? issue.title, body.body ?? '');
  if (problem !== null) return problem;
  const reopening = body.state === 'open' && issue.state === 'closed';
  const headRepo = repoById(call.world, issue.pull.headRepoId);
  const head = reopening ? await branchTip(call.world.gitOf(headRepo), issue.pull.headRef) : null;
  if (reopening && (head === null || issue.pull.mergedAtMs !== null)) {
    const message = `state cannot be changed. The ${issue.pull.headRef} branch was merged or has been deleted.`;
    return invalidAnswer([{ resource: 'PullRequest', field: 'state', code: 'invalid', message }]);
  }
  if (body.base !== undefined && body.base !== issue.pull.baseRef) {
    const baseSha = await branchTip(call.world.gitOf(call.repo), body.base);
    if (baseSha === null) return invalidAnswer([{ resource: 'PullRequest', field: 'base', code: 'invalid' }]);
    const { baseRef, baseSha: shaBefore } = issue.pull;
    const was = { ref: { from: baseRef }, sha: { from: shaBefore } };
    const rebased = { ...issue, pull: { ...issue.pull, baseRef: body.base, baseSha } };
    putIssue(call.world, rebased);
    await emitIssue(call, rebased, 'edited', { changes: { base: was } });
  }
  if (head !== null) {
    const row = rereadPull(call, issue);
    const baseSha = (await branchTip(call.world.gitOf(call.repo), row.pull.baseRef)) ?? row.pull.baseSha;
    putIssue(call.world, { ...row, pull: { ...row.pull, headSha: head, baseSha } });
  }
  const { base: _, ...texts } = body;
  await applyIssueChanges(call, rereadPull(call, issue), texts);
  return okAnswer(await shapeFullPull(call.world, rereadPull(call, issue)));
}

async function mergePullOfCall(call: ActorCall, body: z.infer<typeof merging>): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (issue.state !== 'open') return notMergeableAnswer(405, 'Pull Request is not mergeable');
  if (issue.pull.draft) return notMergeableAnswer(405, 'Pull Request is still a draft');
  if (body.sha !== undefined && body.sha !== issue.pull.headSha) {
    return notMergeableAnswer(409, 'Head branch was modified. Review and try the merge again.');
  }
  const refusal = await mergeRefusal({ ...call, repo: rereadRepo(call) }, issue, body.merge_method);
  if (refusal !== null) return notMergeableAnswer(405, refusal);
  const outcome = await mergePull(call, issue, {
    method: body.merge_method,
    title: body.commit_title,
    message: body.commit_message,
  });
  if (outcome.ok) return okAnswer({ sha: outcome.sha, merged: true, message: 'Pull Request successfully merged' });
  if (outcome.reason === 'base-moved')
    return notMergeableAnswer(409, 'Base branch was modified. Review and try the merge again.');
  if (outcome.reason === 'protected')
    return notMergeableAnswer(405, 'Changes must be made through an allowed account.');
  return notMergeableAnswer(405, 'Pull Request is not mergeable');
}

/** The merge button's refusals have their own format (docs.github.com/rest/pulls: merge a pull request). */
function notMergeableAnswer(status: 405 | 409, message: string): Answer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest/pulls/pulls' }, headers: {} };
}
