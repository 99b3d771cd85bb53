/**
 * Who pushed and who committed on a branch: the repository's activity, where GitHub says who moved the branch, and the
 * comparison with the target branch, where it says whose account each commit is linked to (GitHub REST, repos and commits).
 */

import { z } from 'zod';
import type { BranchPush, BranchWork, Contributor } from '../domain/authorship.ts';
import { branded, isSha, type Sha } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** Pushes of a branch that are read, one page of GitHub's: a branch with more since the bot's own is refused. */
const BRANCH_PUSHES_READ = 100;

/** GitHub sends `{}` for an account that it does not know any more. */
const accountSchema = z
  .object({ id: z.number().int(), login: z.string(), type: z.string() })
  .or(z.object({}).transform(() => null))
  .nullish();
const activitySchema = z.array(
  z.object({ before: z.string(), after: z.string(), activity_type: z.string(), actor: accountSchema }),
);
const signatureSchema = z.object({ email: z.string().nullish() }).nullable();
const comparisonSchema = z.object({
  total_commits: z.number().int(),
  commits: z.array(
    z.object({
      sha: z.string(),
      author: accountSchema,
      committer: accountSchema,
      commit: z.object({ author: signatureSchema, committer: signatureSchema }),
    }),
  ),
});

/** `base`: a commit of the target branch; `own`: the commit that the bot pushed, null where that is not known. */
export type BranchQuery = {
  readonly branch: string;
  readonly base: Sha;
  readonly head: Sha;
  readonly own: Sha | null;
};

/** Everything between the bot's own push and the head, and every commit that the target branch has not. */
export async function readBranchWork(
  client: GitHubClient,
  { branch, base, head, own }: BranchQuery,
): Promise<Observed<BranchWork>> {
  const pushes = await readPushes(client, branch, head, own);
  if (pushes.kind === 'unknown') return pushes;
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/compare/{basehead}', {
    basehead: `${base}...${head}`,
  });
  if (outcome.kind !== 'answered') return unknown(`GitHub does not compare the branch: ${outcome.message}`);
  const parsed = comparisonSchema.safeParse(outcome.data);
  if (!parsed.success) return unknown('a comparison of another shape');
  const { commits, total_commits } = parsed.data;
  return known({
    commits: commits.map(({ sha, author, committer, commit }) => ({
      sha: branded(sha, isSha),
      author: contributorOf(author),
      authorEmail: commit.author?.email ?? '',
      committer: contributorOf(committer),
      committerEmail: commit.committer?.email ?? '',
    })),
    pushes: pushes.value.pushes,
    isWhole: pushes.value.isWhole && total_commits <= commits.length,
  });
}

/** The newest moves of a branch as GitHub lists them, newest first: what it stood on before and after each. */
export async function readMoves(
  client: GitHubClient,
  branch: string,
): Promise<Observed<z.infer<typeof activitySchema>>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/activity', {
    ref: `refs/heads/${branch}`,
    per_page: BRANCH_PUSHES_READ,
  });
  if (outcome.kind !== 'answered') return unknown(`GitHub does not tell who pushed: ${outcome.message}`);
  const parsed = activitySchema.safeParse(outcome.data);
  return parsed.success ? known(parsed.data) : unknown('a list of pushes of another shape');
}

type Pushes = Pick<BranchWork, 'pushes' | 'isWhole'>;

/** Newest first, back to the bot's own push or to the branch's beginning, each following the one before. */
async function readPushes(
  client: GitHubClient,
  branch: string,
  head: Sha,
  own: Sha | null,
): Promise<Observed<Pushes>> {
  const moves = await readMoves(client, branch);
  if (moves.kind === 'unknown') return moves;
  const pushes: BranchPush[] = [];
  let wanted: string = head;
  for (const { before, after, activity_type: kind, actor } of moves.value) {
    // Deleted as it stood, it says no less about who pushed that.
    if (kind === 'branch_deletion' && before === wanted) continue;
    if (after !== wanted) return unknown(`GitHub does not tell yet who pushed ${wanted.slice(0, 12)}`);
    wanted = before;
    if (kind !== 'branch_deletion') pushes.push({ by: contributorOf(actor), after: branded(after, isSha) });
    if (after === own || (own === null && kind === 'branch_creation'))
      return known({ pushes, isWhole: true });
  }
  if (moves.value.length >= BRANCH_PUSHES_READ) return known({ pushes, isWhole: false });
  // Not one push of the bot's is there: then everything that was pushed is somebody else's.
  return moves.value.at(-1)?.activity_type === 'branch_creation'
    ? known({ pushes, isWhole: true })
    : unknown(`GitHub does not tell who began the branch ${branch}`);
}

/** GitHub's own account names nobody, though it is listed as a person. */
function contributorOf(account: z.infer<typeof accountSchema>): Contributor {
  if (account === null || account === undefined) return { kind: 'unnamed' };
  const { id, login, type } = account;
  if (type === 'User' && login !== 'web-flow') return { kind: 'person', actor: { id, login } };
  return { kind: 'app', login: login.replace(/\[bot\]$/, '') };
}
