/** The sweep's eye: issue and pull request comments written since a moment, so that a lost webhook costs only time. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

const listed = z.array(
  z.object({
    id: z.number().int(),
    body: z.string().nullish(),
    issue_url: z.string(),
    updated_at: z.string(),
    user: z.object({ id: z.number().int(), login: z.string(), type: z.string() }).nullish(),
  }),
);

/** A comment that a sweep found: enough to know which thread to read. */
export type SweptComment = {
  readonly id: number;
  readonly thread: number;
  readonly body: string;
  readonly isBot: boolean;
};

const PAGE = 100;

/** Comments of all threads updated since, oldest first, up to `pagesMax` pages; unknown if any page could not be read. */
export async function listNewComments(
  client: GitHubClient,
  sinceRfc3339: string,
  pagesMax: number,
): Promise<Observed<readonly SweptComment[]>> {
  const found: SweptComment[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/issues/comments', {
      since: sinceRfc3339,
      sort: 'updated',
      direction: 'asc',
      per_page: PAGE,
      page,
    });
    const parsed = outcome.kind === 'answered' ? listed.safeParse(outcome.data) : null;
    if (parsed === null || !parsed.success) return unknown('the new comments could not be listed');
    found.push(
      ...parsed.data.map((c) => ({
        id: c.id,
        thread: Number(c.issue_url.split('/').at(-1)),
        body: c.body ?? '',
        isBot: c.user?.type !== 'User',
      })),
    );
    if (parsed.data.length < PAGE) break;
  }
  return known(found);
}
