/**
 * Finds the base of a change: a commit that the target branch pointed to. Commits inside a merged branch do not
 * count, because their state was never reviewed.
 */

import type { ChangeFacts } from '../../domain/facts.ts';
import type { GitReader } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { known, unknown } from '../../domain/observed.ts';
import { readPastTips } from '../../github/branch-work.ts';
import type { GitHubClient } from '../../github/call.ts';

/** Enough for the bases of all live runs and their branches. */
const PAST_TIPS_KEPT = 200;

export const NEEDS_GITHUB = unknown('only GitHub knows: it is judged on the pull request');

/**
 * The base of `head` on a branch with the tip `tip`; null if they share no history. Asks GitHub only about commits
 * that this process never saw as a tip. `client` is null if GitHub cannot be asked. Throws `GitError`.
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
  // The head itself was merged. Compare it with the commit that the branch pointed to before the merge.
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
