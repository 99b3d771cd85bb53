/** People with a role in the repository. */

import { z } from 'zod';
import { PERMISSIONS } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** Ten requests; further people of a larger lab are not listed. */
export const PEOPLE_LISTED_MAX = 1_000;

const schema = z.array(
  z.object({ id: z.number().int(), login: z.string(), type: z.string(), role_name: z.string() }),
);
const PAGE = 100;
const PAGES_MAX = PEOPLE_LISTED_MAX / PAGE;

/** People with a role, without apps; custom roles count as read (GitHub REST, collaborators). */
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
