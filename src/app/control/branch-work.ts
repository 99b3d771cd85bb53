/** Finds work of other people on a proposal's branch. The bot asks only if the head is not the commit that it pushed. */

import { type BranchWork, NO_BRANCH_WORK } from '../../domain/authorship.ts';
import type { ChangeFacts, PullFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readBranchWork } from '../../github/branch-work.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import type { Lab } from '../lab.ts';

/** The commits of the branch with their authors, as far as GitHub tells; unknown if it does not. */
export async function branchWork(
  { client }: Pick<Lab, 'client'>,
  { proposal, contract }: RunState,
  pull: PullFacts,
  { headSha, mergeBase, isPastTip }: ChangeFacts,
): Promise<Observed<BranchWork>> {
  if (headSha !== pull.headSha) return unknown('the branch moved while it was read');
  const { headBranch, baseBranch } = pull;
  if (headBranch === baseBranch || contract !== null) {
    if (isPastTip.kind === 'unknown') return isPastTip;
    // Commits of the target branch were reviewed there. A contract that names one adds no work.
    if (headSha === mergeBase && isPastTip.value) return known(NO_BRANCH_WORK);
    if (headBranch === baseBranch)
      return unknown(
        `${baseBranch} did not point to ${headSha.slice(0, 12)} in its newest ${limits.branchMovesRead} moves: name a commit that it pointed to`,
      );
  }
  const own = proposal.head ?? null;
  return readBranchWork(client, { branch: headBranch, base: mergeBase, head: headSha, own });
}

/** The same for a run whose pull request and change may be unread. If one approval is enough, the answer is not needed. */
export async function branchWorkOf(
  lab: Pick<Lab, 'client'>,
  { approvals }: LaneScopedConfig,
  state: RunState,
  { pull, change }: { readonly pull: Observed<PullFacts>; readonly change: Observed<ChangeFacts> },
): Promise<Observed<BranchWork>> {
  if (pull.kind === 'unknown') return pull;
  if (approvals.onePersonIsEnough || pull.value.headSha === state.proposal.head) return known(NO_BRANCH_WORK);
  return change.kind === 'unknown' ? change : branchWork(lab, state, pull.value, change.value);
}
