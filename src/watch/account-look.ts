/** Whether a watch is to be started only because nobody has looked at an account that rents for a day. */

import type { WorkflowRunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';
import { isTitledFor } from '../domain/run-title.ts';

/** Somebody looks at each account that rents so often, also where nothing runs: once a day, and a bit sooner than that. */
const ACCOUNT_LOOK_MS = 22 * 60 * 60 * 1_000;
/** After a watch that failed to, another one is started to look at the account. */
const ACCOUNT_RETRY_MS = 60 * 60 * 1_000;

export type AccountLook = 'looked' | 'owed' | 'tried' | 'unknown';

/**
 * Every watch begins with a look at the account of its cluster, and does not end well without one. One that waits or works
 * counts as well; one that failed leaves the look owed, and is not followed by another at once.
 */
export function judgeAccountLook(
  cluster: string,
  watchRuns: Observed<readonly WorkflowRunFacts[]>,
  now: Instant,
): AccountLook {
  if (watchRuns.kind === 'unknown') return 'unknown';
  const since = (ms: number): readonly WorkflowRunFacts[] =>
    watchRuns.value.filter(({ title, createdAt }) => isTitledFor(title, cluster) && now - createdAt < ms);
  const isLooked = since(ACCOUNT_LOOK_MS).some(
    ({ status, conclusion }) => status !== 'completed' || conclusion === 'success',
  );
  if (isLooked) return 'looked';
  return since(ACCOUNT_RETRY_MS).length > 0 ? 'tried' : 'owed';
}
