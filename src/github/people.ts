/** People with a role in the repository. */

import { z } from 'zod';
import { PERMISSIONS } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { type GitHubClient, PAGE_ROWS, readPages } from './call.ts';

/** Ten requests; further people of a larger lab are not listed. */
export const PEOPLE_LISTED_MAX = 1_000;

const schema = z.object({
  id: z.number().int(),
  login: z.string(),
  type: z.string(),
  role_name: z.string(),
});

/** People with a role, without apps; custom roles count as read (GitHub REST, collaborators). */
export async function readPeople(client: GitHubClient): Promise<Observed<readonly PersonFacts[]>> {
  const found = await readPages(client, 'GET /repos/{owner}/{repo}/collaborators', schema, {
    pagesMax: PEOPLE_LISTED_MAX / PAGE_ROWS,
  });
  if (found.kind === 'unknown') return unknown(`GitHub does not tell who works here: ${found.why}`);
  return known(
    found.value.rows
      .filter((person) => person.type === 'User')
      .map(({ id, login, role_name }) => ({
        actor: { id, login },
        permission: PERMISSIONS.find((one) => one === role_name) ?? 'read',
      })),
  );
}
