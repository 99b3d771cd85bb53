/** Deployments as docs.github.com/rest/deployments describes them: a bot deploys a branch and reports the result. */

import { describe, expect, it } from 'vitest';
import { mintUserToken } from '../../identity/tokens.ts';
import { addUser } from '../../world/seed.ts';
import { createAsker, listReceived } from '../world/ask.ts';
import { createTown, type Town } from '../world/town.ts';

async function townWithBranch(): Promise<Town> {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  return town;
}

describe('a deployment', () => {
  it('is created, sends its events, is listed by environment, and shows its statuses', async () => {
    const town = await townWithBranch();
    const [ask, heard] = [createAsker(town), listReceived(town)];
    const made = await ask('ada', 'POST', '/deployments', {
      ref: 'ferry',
      environment: 'staging',
      payload: { type: 'branch-deploy' },
      description: 'from a comment',
    });
    expect(made).toMatchObject({
      httpStatus: 201,
      ref: 'ferry',
      task: 'deploy',
      environment: 'staging',
      payload: { type: 'branch-deploy' },
      production_environment: false,
      creator: { login: 'ada' },
    });
    expect(await ask('ravi', 'POST', `/deployments/${made.id}/statuses`, { state: 'success' })).toMatchObject({
      httpStatus: 403,
    });
    const status = await ask('ada', 'POST', `/deployments/${made.id}/statuses`, {
      state: 'in_progress',
      log_url: 'http://run.test/1',
      // branch-deploy sends null when there is no URL.
      environment_url: null,
    });
    expect(status).toMatchObject({ httpStatus: 201, state: 'in_progress', log_url: 'http://run.test/1' });
    expect(await ask('sol', 'GET', '/deployments?environment=staging')).toMatchObject([{ id: made.id }]);
    expect(await ask('sol', 'GET', '/deployments?environment=production')).toHaveLength(0);
    expect(await ask('sol', 'GET', `/deployments/${made.id}/statuses`)).toMatchObject([{ id: status.id }]);
    expect(heard).toEqual(['deployment created', 'deployment_status created']);
    expect(await ask('mira', 'GET', '/environments')).toMatchObject({ environments: [{ name: 'staging' }] });
  });

  it('makes earlier successes of its environment inactive, except in production', async () => {
    const ask = createAsker(await townWithBranch());
    const deploy = async (environment: string): Promise<number> => {
      const { id } = await ask('ada', 'POST', '/deployments', { ref: 'main', environment });
      await ask('ada', 'POST', `/deployments/${id}/statuses`, { state: 'success' });
      return id;
    };
    const newest = async (id: number): Promise<string> =>
      (await ask('ada', 'GET', `/deployments/${id}/statuses`))[0].state;
    const [first, live] = [await deploy('production'), await deploy('staging')];
    await deploy('production');
    const next = await deploy('staging');
    expect([await newest(first), await newest(live), await newest(next)]).toEqual(['success', 'inactive', 'success']);
    expect(await ask('ada', 'DELETE', `/deployments/${next}`)).toMatchObject({
      httpStatus: 422,
      message: 'We cannot delete an active deployment unless it is the only deployment in a given environment.',
    });
    expect(await ask('ada', 'DELETE', `/deployments/${live}`)).toEqual({ httpStatus: 204 });
  });

  it('is refused until the checks of its commit, or the named ones, succeed', async () => {
    const town = await townWithBranch();
    const ask = createAsker(town);
    const { commit } = await ask('ada', 'GET', '/branches/ferry');
    await ask('ada', 'POST', `/statuses/${commit.sha}`, { state: 'pending', context: 'ci' });
    const refused = { httpStatus: 409, message: 'Conflict: Commit status checks failed for ferry.' };
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry' })).toMatchObject(refused);
    const skipped = await ask('ada', 'POST', '/deployments', { ref: 'ferry', required_contexts: [] });
    expect(skipped).toMatchObject({ httpStatus: 201 });
    await ask('ada', 'POST', `/statuses/${commit.sha}`, { state: 'success', context: 'ci' });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry' })).toMatchObject({ httpStatus: 201 });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry', required_contexts: ['lint'] })).toMatchObject(
      refused,
    );
  });

  it('of a branch that is behind merges the default branch first, or reports the conflict', async () => {
    const town = await townWithBranch();
    const ask = createAsker(town);
    await town.commit('main', { 'b.txt': 'new\n' });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry' })).toMatchObject({
      httpStatus: 202,
      message: 'Auto-merged main into ferry on deployment.',
    });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry' })).toMatchObject({ httpStatus: 201 });
    await town.commit('main', { 'a.txt': 'three\n' });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'ferry' })).toMatchObject({
      httpStatus: 409,
      message: 'Conflict merging main into ferry.',
    });
    expect(await ask('ada', 'POST', '/deployments', { ref: 'nowhere' })).toMatchObject({
      httpStatus: 422,
      message: 'No ref found for: nowhere',
    });
  });
});

describe('an environment', () => {
  it('is created by its first deployment, deactivated with its deployments, deleted, and created again', async () => {
    const town = await townWithBranch();
    const ask = createAsker(town);
    const { id } = addUser(town.world, 'olga', 'User', 'Olga Owner');
    const { repo } = town.seeded;
    town.world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [id]: 'admin' } };
    const olga = { token: mintUserToken(town.world, id) };
    const state = (deployment: number, wanted: string): Promise<unknown> =>
      ask('ada', 'POST', `/deployments/${deployment}/statuses`, { state: wanted, auto_inactive: false });
    const start = async (): Promise<number> => {
      const made = await ask('ada', 'POST', '/deployments', {
        ref: 'ferry',
        environment: 'preview',
        required_contexts: [],
        auto_merge: false,
        transient_environment: true,
      });
      await state(made.id, 'in_progress');
      return made.id;
    };
    const listed = (): Promise<readonly { readonly id: number }[]> =>
      ask('ada', 'GET', '/deployments?environment=preview');
    const names = async (): Promise<readonly string[]> =>
      (await ask('ada', 'GET', '/environments')).environments.map(({ name }: { name: string }) => name);

    const first = await start();
    await state(first, 'success');
    await state(first, 'inactive');
    await state(await start(), 'success');
    expect(await listed()).toHaveLength(2);
    for (const one of await listed()) await state(one.id, 'inactive');
    for (const one of await listed())
      expect(await ask('ada', 'DELETE', `/deployments/${one.id}`)).toEqual({ httpStatus: 204 });
    expect(await listed()).toEqual([]);

    expect(await ask('mira', 'DELETE', '/environments/Preview')).toMatchObject({ httpStatus: 403 });
    expect(await ask(olga, 'DELETE', '/environments/Preview')).toEqual({ httpStatus: 204 });
    expect(await ask(olga, 'DELETE', '/environments/Preview')).toMatchObject({ httpStatus: 404 });
    expect(await names()).not.toContain('preview');
    await start();
    expect(await names()).toContain('preview');
  });
});
