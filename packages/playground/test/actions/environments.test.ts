/**
 * Supported environment settings (docs.github.com/rest/deployments/environments), and those that are rejected because
 * the playground does not enforce them.
 */

import { expect, it } from 'vitest';
import { mintUserToken } from '../../identity/tokens.ts';
import { addUser } from '../../world/seed.ts';
import { at, createTown, refusal } from '../world/town.ts';

it.each([
  ['wait_timer', 30],
  ['prevent_self_review', true],
  ['reviewers', [{ type: 'User', id: 1 }]],
])('rejects an environment with %s by name, because it would not be enforced', async (field, value) => {
  const town = createTown();
  const { id } = addUser(town.world, 'olga', 'User', 'Olga Owner');
  const { repo } = town.seeded;
  town.world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [id]: 'admin' } };
  const olga = town.as(mintUserToken(town.world, id));
  const put = 'PUT /repos/{owner}/{repo}/environments/{environment_name}';
  const wish = { ...at, environment_name: 'ferrybot-launch' };
  const plain = { wait_timer: 0, prevent_self_review: false, reviewers: null };
  expect((await olga.request(put, { ...wish, ...plain })).status).toBe(200);
  const refused = await refusal(olga.request(put, { ...wish, [field]: value }));
  expect(refused).toMatchObject({ status: 422, message: expect.stringContaining(field) });
});
