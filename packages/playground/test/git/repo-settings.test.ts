/** Repository settings and collaborators by administrators, branch merges by writers, and GitHub's refusal messages. */

import { expect, it } from 'vitest';
import { mintUserToken } from '../../identity/tokens.ts';
import { addUser } from '../../world/seed.ts';
import { createAsker } from '../world/ask.ts';
import { createTown, type Town } from '../world/town.ts';

function administrator({ world, seeded }: Town): { readonly token: string } {
  const { id } = addUser(world, 'olga', 'User', 'Olga Owner');
  const repo = world.state.repos[seeded.repo.id] ?? seeded.repo;
  world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [id]: 'admin' } };
  return { token: mintUserToken(world, id) };
}

it('lets an administrator choose the merge methods, and refuses others at the merge button', async () => {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const [ask, olga] = [createAsker(town), administrator(town)];
  await ask('ada', 'POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main' });
  expect(await ask('mira', 'PATCH', '', { description: 'mine' })).toMatchObject({
    httpStatus: 403,
    message: 'Must have admin rights to Repository.',
  });
  const settings = { allow_merge_commit: false, delete_branch_on_merge: true, description: 'Sails', has_issues: true };
  expect(await ask(olga, 'PATCH', '', settings)).toMatchObject({
    httpStatus: 200,
    allow_merge_commit: false,
    description: 'Sails',
  });
  expect(await ask('ada', 'PUT', '/pulls/1/merge', {})).toMatchObject({
    httpStatus: 405,
    message: 'Merge commits are not allowed on this repository.',
  });
  expect(await ask('ada', 'PUT', '/pulls/1/merge', { merge_method: 'squash' })).toMatchObject({ merged: true });
  expect(await ask('ada', 'GET', '/branches/ferry')).toMatchObject({ httpStatus: 404 });
  expect(await ask(olga, 'PATCH', '', { archived: true })).toMatchObject({
    httpStatus: 501,
    message: expect.stringContaining('archived'),
  });
  expect(town.world.state.unserved.at(-1)).toMatchObject({ method: 'PATCH', path: '/api/v3/repos/lab/ferries' });
  const nothing = { allow_squash_merge: false, allow_rebase_merge: false };
  expect(await ask(olga, 'PATCH', '', nothing)).toMatchObject({ httpStatus: 422 });
});

it('lets an administrator add and remove collaborators, and refuses others with GitHub’s message', async () => {
  const town = createTown();
  const [ask, olga] = [createAsker(town), administrator(town)];
  expect(await ask(olga, 'PUT', '/collaborators/sol', { permission: 'push' })).toEqual({ httpStatus: 204 });
  expect(await ask('ada', 'GET', '/collaborators/sol/permission')).toMatchObject({ permission: 'write' });
  await ask(olga, 'DELETE', '/collaborators/sol');
  expect(await ask('sol', 'GET', '/collaborators/ada/permission')).toMatchObject({
    httpStatus: 403,
    message: 'Must have push access to view collaborator permission.',
  });
  expect(await ask('sol', 'GET', '/collaborators')).toMatchObject({
    message: 'Must have push access to view repository collaborators.',
  });
});

it('merges one branch into another, and answers 204 when there is nothing left to merge', async () => {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const ask = createAsker(town);
  const both = { base: 'main', head: 'ferry' };
  expect(await ask('ada', 'POST', '/merges', both)).toMatchObject({
    httpStatus: 201,
    commit: { message: 'Merge ferry into main' },
  });
  expect(await ask('ada', 'POST', '/merges', both)).toEqual({ httpStatus: 204 });
  expect(await ask('ada', 'POST', '/merges', { ...both, base: 'nowhere' })).toMatchObject({
    httpStatus: 404,
    message: 'Base does not exist',
  });
});

it('lets people with write access request a check again, and emits rerequested events', async () => {
  const town = createTown();
  const sha = await town.commit('main', { 'a.txt': 'one\n' });
  const ask = createAsker(town);
  const { data: check } = await town
    .asInstallation()
    .request('POST /repos/{owner}/{repo}/check-runs', { owner: 'lab', repo: 'ferries', name: 'gate', head_sha: sha });
  const emitted: unknown[] = [];
  town.world.bus.subscribe(({ type, action }) => void emitted.push([type, action]));
  expect(await ask('sol', 'POST', `/check-runs/${check.id}/rerequest`)).toMatchObject({ httpStatus: 403 });
  expect(await ask('ada', 'POST', `/check-runs/${check.id}/rerequest`)).toMatchObject({ httpStatus: 201 });
  expect(await ask('ada', 'POST', `/check-suites/${check.check_suite?.id}/rerequest`)).toMatchObject({
    httpStatus: 201,
  });
  expect(emitted).toEqual([
    ['check_run', 'rerequested'],
    ['check_suite', 'rerequested'],
  ]);
});
