/** Who works on the repository, and what each may do: the names behind *a maintainer* (GitHub REST, collaborators). */

import { z } from 'zod';
import { PERMISSIONS } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

const schema = z.array(
  z.object({ id: z.number().int(), login: z.string(), type: z.string(), role_name: z.string() }),
);
/** GitHub's largest page; a lab with more people gets the first hundred named. */
const PAGE = 100;

/** People with a role, apps left out; a role of the organisation's own counts as read. */
export async function readPeople(client: GitHubClient): Promise<Observed<readonly PersonFacts[]>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/collaborators', { per_page: PAGE });
  if (outcome.kind !== 'answered') return unknown(`GitHub does not tell who works here: ${outcome.message}`);
  const parsed = schema.safeParse(outcome.data);
  if (!parsed.success) return unknown('an answer of another shape');
  return known(
    parsed.data
      .filter((person) => person.type === 'User')
      .map(({ id, login, role_name }) => ({
        actor: { id, login },
        permission: PERMISSIONS.find((one) => one === role_name) ?? 'read',
      })),
  );
}
