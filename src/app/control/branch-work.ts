/** What others than the bot did on a proposal's branch: asked for where its head is not the very commit that the bot pushed. */

import { type BranchWork, NO_BRANCH_WORK } from '../../domain/authorship.ts';
import type { ChangeFacts, PullFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import { isSha, type Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readBranchWork, readMoves } from '../../github/branch-work.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import type { Lab } from '../lab.ts';

/** Asks GitHub, whatever the record says of the head. */
export async function branchWork(
  { client }: Pick<Lab, 'client'>,
  git: Past,
  { proposal, contract }: RunState,
  pull: PullFacts,
  { baseSha: base, headSha, mergeBase }: ChangeFacts,
): Promise<Observed<BranchWork>> {
  if (headSha !== pull.headSha) return unknown('the branch moved while it was read');
  const { headBranch, baseBranch } = pull;
  const isBranchItself = headBranch === baseBranch || contract !== null;
  if (!isBranchItself || headSha !== mergeBase) {
    const own = proposal.head ?? null;
    return readBranchWork(client, { branch: headBranch, base, head: headSha, own });
  }
  // A run of the lane's branch as it is, or as it was, has no work of its own: what is there was reviewed there.
  if (headSha === base) return known(NO_BRANCH_WORK);
  const past = await standingIn(client, git, { branch: baseBranch, commit: headSha });
  if (past.kind === 'unknown') return past;
  if (past.value === 'stood') return known(NO_BRANCH_WORK);
  // Merged since, it is still the work of whoever pushed it to the branch that the contract names.
  if (past.value !== 'long-ago' && headBranch !== baseBranch)
    return readBranchWork(client, { branch: headBranch, base: past.value, head: headSha, own: null });
  return unknown(
    `${baseBranch} never stood on ${headSha.slice(0, 12)}: it came in with others, and was reviewed with them; name a commit on which ${baseBranch} stood`,
  );
}

type Past = Pick<GitReader, 'mergeBase'>;

/**
 * Whether the branch ever was this commit, and not only has it in its history: a merge brings along what its branch went
 * through, and one by rebase puts that into the branch's own line. Else the commit on which the branch stood before it
 * came in. Of moves that GitHub does not list nobody can tell: first parents lead through what a rebase merged as well.
 */
async function standingIn(
  client: Lab['client'],
  git: Past,
  { branch, commit }: { readonly branch: string; readonly commit: Sha },
): Promise<Observed<'stood' | 'long-ago' | Sha>> {
  const moves = await readMoves(client, branch);
  if (moves.kind === 'unknown') return moves;
  if (moves.value.some(({ before, after }) => before === commit || after === commit)) return known('stood');
  try {
    for (const { before } of moves.value) {
      if (!isSha(before) || /^0+$/.test(before)) return known('long-ago');
      if ((await git.mergeBase(before, commit)) !== commit) return known(before);
    }
    return unknown(
      `GitHub lists the newest ${moves.value.length} moves of ${branch}, and ${commit.slice(0, 12)} is older: whether ${branch} ever stood on it cannot be told; name a commit on which it stood since`,
    );
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/** Keeps the newest answers by head and branch tip, as the change itself is kept. Where one person is enough nobody asks. */
export function cachedBranchWork(
  lab: Pick<Lab, 'client'>,
  git: Past,
  config: LaneScopedConfig,
): (
  state: RunState,
  pull: Observed<PullFacts>,
  change: Observed<ChangeFacts>,
) => Promise<Observed<BranchWork>> {
  const cache = new Map<string, Observed<BranchWork>>();
  return async (state, pull, change) => {
    if (pull.kind === 'unknown') return pull;
    const { headSha } = pull.value;
    if (config.approvals.onePersonIsEnough || headSha === state.proposal.head) return known(NO_BRANCH_WORK);
    if (change.kind === 'unknown') return change;
    const key = `${state.run} ${headSha} ${change.value.baseSha}`;
    const found = cache.get(key);
    if (found !== undefined) return found;
    const work = await branchWork(lab, git, state, pull.value, change.value);
    if (work.kind === 'known') cache.set(key, work);
    const oldest = cache.keys().next();
    if (cache.size > limits.changeCacheEntries && oldest.done !== true) cache.delete(oldest.value);
    return work;
  };
}
