/** `mergeStateStatus` of a pull request (docs.github.com/graphql/reference/enums: MergeStateStatus). */

import { canMerge } from '../git/git-merge.ts';
import { checkStates } from '../rules/check-stands.ts';
import { mergeRefusal } from '../rules/merge-rules.ts';
import type { PullIssue } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import { type Context, createAct } from './context.ts';

/** The state of the merge button for this caller. */
export async function mergeState(
  context: Context,
  repo: Repo,
  issue: PullIssue,
): Promise<'UNKNOWN' | 'DRAFT' | 'DIRTY' | 'BLOCKED' | 'UNSTABLE' | 'CLEAN'> {
  if (issue.state === 'closed') return 'UNKNOWN';
  if (issue.pull.draft) return 'DRAFT';
  const { baseSha, headSha } = issue.pull;
  if ((await canMerge(context.world.gitOf(repo), baseSha, headSha)) === false) return 'DIRTY';
  if ((await mergeRefusal(createAct(context, repo), issue, null)) !== null) return 'BLOCKED';
  return checkStates(context.world, repo, headSha).every(({ state }) => state === 'green') ? 'CLEAN' : 'UNSTABLE';
}
