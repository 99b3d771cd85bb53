/** Lists pull requests that changed recently (docs.github.com/rest/pulls/pulls). */

import { z } from 'zod';
import type { Instant } from '../domain/ids.ts';
import { known, type Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { type GitHubClient, readPages } from './call.ts';

export type MovedPull = {
  readonly number: number;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
};

const movedSchema = z.object({
  number: z.number().int(),
  state: z.string(),
  updated_at: z.string(),
  labels: z.array(z.object({ name: z.string() })),
});

/** Newest first, any state. `isWhole` is false beyond `pagesMax` pages of 100. */
export async function listMovedPulls(
  client: GitHubClient,
  since: Instant,
  pagesMax: number,
): Promise<Observed<{ readonly moved: readonly MovedPull[]; readonly isWhole: boolean }>> {
  const isOld = ({ updated_at }: z.infer<typeof movedSchema>): boolean =>
    (fromRfc3339(updated_at) ?? since) < since;
  const order = { state: 'all', sort: 'updated', direction: 'desc', pagesMax, isLast: isOld };
  const read = await readPages(client, 'GET /repos/{owner}/{repo}/pulls', movedSchema, order);
  if (read.kind === 'unknown') return read;
  // A pull request that changes between two pages is listed twice, the newer version first.
  const moved = new Map<number, MovedPull>();
  for (const pull of read.value.rows)
    if (!isOld(pull) && !moved.has(pull.number)) {
      const { number, state, labels } = pull;
      moved.set(number, { number, isOpen: state === 'open', labels: labels.map(({ name }) => name) });
    }
  return known({ moved: [...moved.values()], isWhole: read.value.isWhole });
}
