/** Who works on the repository, and what each may do: the names behind *a maintainer* (GitHub REST, collaborators). */

import { z } from 'zod';
import { PERMISSIONS } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** People with a role here, in ten requests; a larger lab's later ones are not named, and of them nobody is called a stranger. */
export const PEOPLE_LISTED_MAX = 1_000;

const schema = z.array(
  z.object({ id: z.number().int(), login: z.string(), type: z.string(), role_name: z.string() }),
);
/** GitHub's largest page. */
const PAGE = 100;
const PAGES_MAX = PEOPLE_LISTED_MAX / PAGE;

/** People with a role, apps left out; a role of the organisation's own counts as read. */
export async function readPeople(client: GitHubClient): Promise<Observed<readonly PersonFacts[]>> {
  const found: z.infer<typeof schema> = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/collaborators', { per_page: PAGE, page });
    if (outcome.kind !== 'answered')
      return unknown(`GitHub does not tell who works here: ${outcome.message}`);
    const parsed = schema.safeParse(outcome.data);
    if (!parsed.success) return unknown('an answer of another shape');
    found.push(...parsed.data);
    if (parsed.data.length < PAGE) break;
  }
  return known(
    found
      .filter((person) => person.type === 'User')
      .map(({ id, login, role_name }) => ({
        actor: { id, login },
        permission: PERMISSIONS.find((one) => one === role_name) ?? 'read',
      })),
  );
}
