/**
 * Where a change begins: at a commit that the target branch pointed to. A merged pull request leaves the commits that its
 * branch went through in the history of the target branch, and nobody reviewed those as they are.
 */

import type { ChangeFacts } from '../../domain/facts.ts';
import type { GitReader } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { known, unknown } from '../../domain/observed.ts';
import { readPastTips } from '../../github/branch-work.ts';
import type { GitHubClient } from '../../github/call.ts';

/** Tips that one process keeps: the bases of all live runs, and where their branches pointed to since. */
const PAST_TIPS_KEPT = 200;

/** Why a fact about a branch without a pull request is unknown. */
export const NEEDS_GITHUB = unknown('only GitHub knows: it is judged on the pull request');

/**
 * The base of `head` on a branch whose newest commit is `tip`; null where the two have no common history. GitHub is asked
 * only about a commit that this process never saw the branch point to. `client` null: GitHub cannot be asked. Throws `GitError`.
 */
export async function findBase(
  client: GitHubClient | null,
  git: Pick<GitReader, 'mergeBase' | 'log'>,
  branch: string,
  { tip, head }: { readonly tip: Sha; readonly head: Sha },
): Promise<Pick<ChangeFacts, 'mergeBase' | 'isPastTip'> | null> {
  const mergeBase = await git.mergeBase(tip, head);
  if (mergeBase === null) return null;
  if (client === null) return { mergeBase, isPastTip: mergeBase === tip ? known(true) : NEEDS_GITHUB };
  keepTip(client, `${branch} ${tip}`);
  if (client.pastTips.has(`${branch} ${mergeBase}`)) return { mergeBase, isPastTip: known(true) };
  const tips = await readPastTips(client, branch, mergeBase);
  if (tips.kind === 'unknown') return { mergeBase, isPastTip: tips };
  if (tips.value.has(mergeBase)) {
    keepTip(client, `${branch} ${mergeBase}`);
    return { mergeBase, isPastTip: known(true) };
  }
  if (head !== mergeBase) return { mergeBase, isPastTip: known(false) };
  // The head itself was merged since: it is compared with what the branch pointed to before it came in.
  const past = await git.log({
    from: head,
    not: null,
    sinceMs: null,
    paths: [],
    limit: limits.branchMovesRead,
  });
  const before = past.find(({ sha }) => tips.value.has(sha));
  return { mergeBase: before?.sha ?? mergeBase, isPastTip: known(before !== undefined) };
}

function keepTip({ pastTips }: GitHubClient, tip: string): void {
  pastTips.delete(tip);
  pastTips.add(tip);
  const oldest = pastTips.keys().next();
  if (pastTips.size > PAST_TIPS_KEPT && oldest.done !== true) pastTips.delete(oldest.value);
}
