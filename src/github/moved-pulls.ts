/** Lists pull requests that changed recently (docs.github.com/rest/pulls/pulls). */

import { z } from 'zod';
import type { Instant } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { call, type GitHubClient } from './call.ts';

export type MovedPull = {
  readonly number: number;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
};

const pullsSchema = z.array(
  z.object({
    number: z.number().int(),
    state: z.string(),
    updated_at: z.string(),
    labels: z.array(z.object({ name: z.string() })),
  }),
);

const PAGE = 100;

/** Newest first, any state. `isWhole` is false beyond `pagesMax` pages of 100. */
export async function listMovedPulls(
  client: GitHubClient,
  since: Instant,
  pagesMax: number,
): Promise<Observed<{ readonly moved: readonly MovedPull[]; readonly isWhole: boolean }>> {
  // A pull request that changes between two pages is listed twice, the newer version first.
  const moved = new Map<number, MovedPull>();
  for (let page = 1; page <= pagesMax; page += 1) {
    const range = { state: 'all', sort: 'updated', direction: 'desc', per_page: PAGE, page };
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/pulls', range);
    const parsed = outcome.kind === 'answered' ? pullsSchema.safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown('the pull requests could not be listed');
    const young = parsed.data.filter(({ updated_at }) => (fromRfc3339(updated_at) ?? since) >= since);
    for (const { number, state, labels } of young.filter((one) => !moved.has(one.number)))
      moved.set(number, {
        number,
        isOpen: state === 'open',
        labels: labels.map(({ name }) => name),
      });
    if (young.length < PAGE) return known({ moved: [...moved.values()], isWhole: true });
  }
  return known({ moved: [...moved.values()], isWhole: false });
}
