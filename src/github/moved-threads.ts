/** Lists issues and pull requests that changed recently (docs.github.com/rest/issues/issues). */

import { z } from 'zod';
import { type Instant, known, type Observed, toRfc3339 } from '../domain/values.ts';
import { type GitHubClient, readPages } from './call.ts';

export type MovedThread = {
  readonly number: number;
  readonly isPull: boolean;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
};

const threadSchema = z.object({
  number: z.number().int(),
  state: z.string(),
  labels: z.array(z.object({ name: z.string() })),
  pull_request: z.unknown().optional(),
});

/** Newest first, any state. `isWhole` is false beyond `pagesMax` pages of 100. */
export async function listMovedThreads(
  client: GitHubClient,
  since: Instant,
  pagesMax: number,
): Promise<Observed<{ readonly moved: readonly MovedThread[]; readonly isWhole: boolean }>> {
  const order = { state: 'all', sort: 'updated', direction: 'desc', since: toRfc3339(since), pagesMax };
  const read = await readPages(client, 'GET /repos/{owner}/{repo}/issues', threadSchema, order);
  if (read.kind === 'unknown') return read;
  // A thread that changes between two pages is listed twice, the newer version first.
  const moved = new Map<number, MovedThread>();
  for (const { number, state, labels, pull_request } of read.value.rows)
    if (!moved.has(number)) {
      const names = labels.map(({ name }) => name);
      moved.set(number, { number, isPull: pull_request != null, isOpen: state === 'open', labels: names });
    }
  return known({ moved: [...moved.values()], isWhole: read.value.isWhole });
}
