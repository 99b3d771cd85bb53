/**
 * Who pushed and who committed on a branch: the repository's activity, where GitHub says who moved the branch, and the
 * comparison with the target branch, where it says whose account each commit is linked to (GitHub REST, repos and commits).
 */

import { z } from 'zod';
import type { BranchPush, BranchWork, Contributor } from '../domain/authorship.ts';
import { branded, isSha, type Sha } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** Moves of a branch in one page, the most that GitHub gives. */
const MOVES_PER_PAGE = 100;

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

/** `base`: where the change begins; `own`: the commit that the bot pushed, null where that is not known. */
export type BranchQuery = {
  readonly branch: string;
  readonly base: Sha;
  readonly head: Sha;
  readonly own: Sha | null;
};

/** Every push between the bot's own and the head, and every commit between the base and the head. */
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

type Moves = { readonly moves: z.infer<typeof activitySchema>; readonly next: string | null };

/** One page of the moves of a branch, newest first. `next`: the cursor of the page with older moves; null on the last page. */
async function readMoves(
  client: GitHubClient,
  branch: string,
  after: string | null,
): Promise<Observed<Moves>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/activity', {
    ref: `refs/heads/${branch}`,
    per_page: MOVES_PER_PAGE,
    ...(after === null ? {} : { after }),
  });
  if (outcome.kind !== 'answered')
    return unknown(`GitHub does not list the moves of ${branch}: ${outcome.message}`);
  const parsed = activitySchema.safeParse(outcome.data);
  if (!parsed.success) return unknown(`GitHub lists the moves of ${branch} in another shape`);
  return known({ moves: parsed.data, next: nextCursor(String(outcome.headers['link'] ?? '')) });
}

/** Pages of activities go by a cursor, which stands in the address of the next page (GitHub REST, list repository activities). */
function nextCursor(link: string): string | null {
  const next = link.split(',').find((part) => part.includes('rel="next"')) ?? '';
  const address = next.slice(next.indexOf('<') + 1, next.indexOf('>'));
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('after');
}

/** Commits that the branch pointed to in its newest `limits.branchMovesRead` moves. Stops at the page that has `wanted`. */
export async function readPastTips(
  client: GitHubClient,
  branch: string,
  wanted: Sha,
): Promise<Observed<ReadonlySet<string>>> {
  const tips = new Set<string>();
  let after: string | null = null;
  for (let read = 0; read < limits.branchMovesRead; read += MOVES_PER_PAGE) {
    const page: Observed<Moves> = await readMoves(client, branch, after);
    if (page.kind === 'unknown') return page;
    for (const move of page.value.moves) tips.add(move.before).add(move.after);
    after = page.value.next;
    if (tips.has(wanted) || after === null) break;
  }
  return known(tips);
}

type Pushes = Pick<BranchWork, 'pushes' | 'isWhole'>;

/** Newest first, back to the bot's own push or to the branch's beginning, each following the one before. */
async function readPushes(
  client: GitHubClient,
  branch: string,
  head: Sha,
  own: Sha | null,
): Promise<Observed<Pushes>> {
  const page = await readMoves(client, branch, null);
  if (page.kind === 'unknown') return page;
  const { moves } = page.value;
  const pushes: BranchPush[] = [];
  let wanted: string = head;
  for (const { before, after, activity_type: kind, actor } of moves) {
    // Deleted as it stood, it says no less about who pushed that.
    if (kind === 'branch_deletion' && before === wanted) continue;
    if (after !== wanted) return unknown(`GitHub does not tell yet who pushed ${wanted.slice(0, 12)}`);
    wanted = before;
    if (kind !== 'branch_deletion') pushes.push({ by: contributorOf(actor), after: branded(after, isSha) });
    if (after === own || (own === null && kind === 'branch_creation'))
      return known({ pushes, isWhole: true });
  }
  if (page.value.next !== null) return known({ pushes, isWhole: false });
  // Not one push of the bot's is there: then everything that was pushed is somebody else's.
  return moves.at(-1)?.activity_type === 'branch_creation'
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
