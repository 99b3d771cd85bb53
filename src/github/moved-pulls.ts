/** Pull requests that moved lately, and which files one changes (docs.github.com/rest/pulls/pulls). */

import { z } from 'zod';
import { branded, type Instant, isSha, type Sha } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { call, type GitHubClient } from './call.ts';

export type MovedPull = {
  readonly number: number;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
  readonly headSha: Sha;
  /** The head lies in another repository, or in one that is gone. */
  readonly isFork: boolean;
};

const pullsSchema = z.array(
  z.object({
    number: z.number().int(),
    state: z.string(),
    updated_at: z.string(),
    labels: z.array(z.object({ name: z.string() })),
    head: z.object({ sha: z.string().refine(isSha), repo: z.object({ full_name: z.string() }).nullable() }),
    base: z.object({ repo: z.object({ full_name: z.string() }) }),
  }),
);
const filesSchema = z.array(z.object({ filename: z.string(), status: z.string().optional() }));

const PAGE = 100;

/**
 * The pull requests in any state that were updated since, newest first. `isWhole` is false where there are more than
 * `pagesMax` pages of 100.
 */
export async function listMovedPulls(
  client: GitHubClient,
  since: Instant,
  pagesMax: number,
): Promise<Observed<{ readonly moved: readonly MovedPull[]; readonly isWhole: boolean }>> {
  // One that moves between two pages is told twice, and the newer one comes first.
  const moved = new Map<number, MovedPull>();
  for (let page = 1; page <= pagesMax; page += 1) {
    const range = { state: 'all', sort: 'updated', direction: 'desc', per_page: PAGE, page };
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/pulls', range);
    const parsed = outcome.kind === 'answered' ? pullsSchema.safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown('the pull requests could not be listed');
    const young = parsed.data.filter(({ updated_at }) => (fromRfc3339(updated_at) ?? since) >= since);
    for (const { number, state, labels, head, base } of young.filter((one) => !moved.has(one.number)))
      moved.set(number, {
        number,
        isOpen: state === 'open',
        labels: labels.map(({ name }) => name),
        headSha: branded(head.sha, isSha),
        isFork: head.repo?.full_name !== base.repo.full_name,
      });
    if (young.length < PAGE) return known({ moved: [...moved.values()], isWhole: true });
  }
  return known({ moved: [...moved.values()], isWhole: false });
}

/** Paths that a pull request changes or adds; what it takes away is left out. Unknown where it changes more than is read. */
export async function changedFiles(
  client: GitHubClient,
  pull: number,
  pagesMax: number,
): Promise<Observed<readonly string[]>> {
  const paths: string[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      pull_number: pull,
      per_page: PAGE,
      page,
    });
    const parsed = outcome.kind === 'answered' ? filesSchema.safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown(`the files of #${pull} could not be listed`);
    paths.push(...parsed.data.filter(({ status }) => status !== 'removed').map(({ filename }) => filename));
    if (parsed.data.length < PAGE) return known(paths);
  }
  return unknown(`#${pull} changes more files than are read`);
}
