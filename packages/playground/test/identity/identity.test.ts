/** Authentication and authorization: who is admitted, and which refusals others get. */

import { generateKeyPairSync } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../actions/state-actions.ts';
import { mintWorkflowToken, revokeRunTokens } from '../../identity/tokens.ts';
import { appId, at, createTown, keys, refusal } from '../world/town.ts';

const hourMs = 60 * 60 * 1000;

describe('tokens', () => {
  it('are refused when unknown, rather than treated as a guest', async () => {
    const town = createTown();
    expect(await refusal(town.as('nope').request('GET /repos/{owner}/{repo}', at))).toMatchObject({
      status: 401,
      message: 'Bad credentials',
    });
    expect((await town.as(null).request('GET /repos/{owner}/{repo}', at)).status).toBe(200);
  });

  it('identify people, the App by its key, and the installation by its token', async () => {
    const town = createTown();
    expect((await town.as(town.seeded.tokens.ada).request('GET /user')).data.login).toBe('ada');
    expect((await town.asApp().request('GET /app')).data).toMatchObject({ id: appId, slug: 'ferrybot' });
    const repos = await town.asInstallation().request('GET /installation/repositories');
    expect(repos.data.repositories.map((repo) => repo.full_name)).toEqual(['lab/ferries']);
    const found = await town.asApp().request('GET /repos/{owner}/{repo}/installation', at);
    expect(found.data.id).toBe(town.seeded.app?.installationId);
  });

  it('are refused when an App signs with another key', async () => {
    const town = createTown();
    const other = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const forger = new Octokit({
      baseUrl: 'http://github.test/api/v3',
      request: { fetch: (url: string, init: RequestInit) => town.world.fetch(new Request(url, init)) },
      authStrategy: createAppAuth,
      auth: { appId, privateKey: other.privateKey },
    });
    expect((await refusal(forger.request('GET /app'))).status).toBe(401);
  });

  it('are accepted from an App with a wrong clock after it corrects itself by the answer', async () => {
    const town = createTown();
    town.advance(24 * hourMs);
    expect((await town.asApp().request('GET /app')).status).toBe(200);
  });

  it('of an installation expire after one hour', async () => {
    const town = createTown();
    const auth = createAppAuth({ appId, privateKey: keys.privateKey, request: town.asApp().request });
    const { token } = await auth({ type: 'installation', installationId: town.seeded.app?.installationId ?? 0 });
    town.advance(hourMs - 1000);
    expect((await town.as(token).request('GET /repos/{owner}/{repo}', at)).status).toBe(200);
    town.advance(1000);
    expect((await refusal(town.as(token).request('GET /repos/{owner}/{repo}', at))).status).toBe(401);
  });

  it('can have fewer permissions than the installation, never more', async () => {
    const town = createTown({ permissions: { issues: 'read', contents: 'write' } });
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    const installation_id = town.seeded.app?.installationId ?? 0;
    const less = await town.asApp().request(route, { installation_id, permissions: { contents: 'read' } });
    expect(less.data.permissions).toEqual({ metadata: 'read', contents: 'read' });
    const create = 'POST /repos/{owner}/{repo}/git/blobs';
    expect(await refusal(town.as(less.data.token).request(create, { ...at, content: 'x' }))).toMatchObject({
      status: 403,
      message: 'Resource not accessible by integration',
    });
    const more = town.asApp().request(route, { installation_id, permissions: { issues: 'write' } });
    expect((await refusal(more)).status).toBe(422);
  });
});

describe('permissions', () => {
  it('are checked for Apps, and roles for people', async () => {
    const town = createTown({ permissions: { issues: 'read' } });
    const comment = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const opened = await town
      .as(town.seeded.tokens.sol)
      .request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'A stranger may ask', labels: ['bug'] });
    expect(opened.data.labels).toEqual([]);
    const issue_number = opened.data.number;
    expect((await refusal(town.asInstallation().request(comment, { ...at, issue_number, body: 'Hi' }))).status).toBe(
      403,
    );
    const label = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
    const wanted = { ...at, issue_number, labels: ['bug'] };
    expect((await refusal(town.as(town.seeded.tokens.sol).request(label, wanted))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.ravi).request(label, wanted)).status).toBe(200);
    const define = 'POST /repos/{owner}/{repo}/labels';
    const mine = { ...at, name: 'mine', color: 'ffffff' };
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(define, mine))).status).toBe(403);
    expect((await town.as(town.seeded.tokens.ada).request(define, mine)).status).toBe(201);
  });

  it('are reported in GitHub’s words, with read for an account without a role', async () => {
    const town = createTown();
    const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    const ask = async (username: string) => {
      const { data } = await town.asInstallation().request(route, { ...at, username });
      return [data.permission, data.role_name];
    };
    expect(await ask('mira')).toEqual(['write', 'maintain']);
    expect(await ask('ada')).toEqual(['write', 'write']);
    expect(await ask('ravi')).toEqual(['read', 'triage']);
    expect(await ask('sol')).toEqual(['read', 'read']);
    expect(await ask('lab').catch((error: Error) => error.message)).toContain('is not a user');
    const bot = town.asInstallation().request(route, { ...at, username: 'ferrybot[bot]' });
    expect((await refusal(bot)).status).toBe(404);
  });

  it('show the members of a team to themselves and to an App with members: read, and hide it from others', async () => {
    const route = 'GET /orgs/{org}/teams/{team_slug}/members';
    const team = { org: 'lab', team_slug: 'oncall' };
    const teams = { oncall: ['mira', 'ada'] } as const;
    const town = createTown({ permissions: { members: 'read' }, teams });
    const seen = await town.asInstallation().request(route, team);
    expect(seen.data.map(({ login }) => login)).toEqual(['mira', 'ada']);
    expect((await town.as(town.seeded.tokens.ada).request(route, { ...team, per_page: 1 })).data).toHaveLength(1);
    expect((await refusal(town.as(town.seeded.tokens.ravi).request(route, team))).status).toBe(404);
    const none = town.asInstallation().request(route, { ...team, team_slug: 'nobody' });
    expect((await refusal(none)).status).toBe(404);
    const less = createTown({ permissions: { issues: 'write' }, teams });
    expect((await refusal(less.asInstallation().request(route, team))).status).toBe(403);
  });

  it('hide a private repository from people without a role', async () => {
    const town = createTown({ private: true });
    for (const token of [null, town.seeded.tokens.sol]) {
      expect((await refusal(town.as(token).request('GET /repos/{owner}/{repo}', at))).status).toBe(404);
    }
    expect((await town.as(town.seeded.tokens.ravi).request('GET /repos/{owner}/{repo}', at)).status).toBe(200);
  });

  it('limit a workflow token to its permissions: block, and revoke it with its run', async () => {
    const town = createTown();
    const run = { id: 1, repoId: town.seeded.repo.id } as Run;
    const { token } = mintWorkflowToken(town.world, run, { contents: 'read' });
    await town.commit('main', { 'a.txt': 'a' });
    expect((await town.as(token).request('GET /repos/{owner}/{repo}/commits', at)).data).toHaveLength(1);
    const open = town.as(token).request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'No' });
    expect((await refusal(open)).status).toBe(403);
    revokeRunTokens(town.world, 1);
    expect((await refusal(town.as(token).request('GET /repos/{owner}/{repo}/commits', at))).status).toBe(401);
  });
});

describe('an operation that the playground lacks', () => {
  it('is a 501 that is recorded, so that a test can fail', async () => {
    const town = createTown();
    const answer = await refusal(town.as(town.seeded.tokens.ada).request('GET /gists'));
    expect(answer).toMatchObject({ status: 501 });
    expect(answer.message).toContain('GET /api/v3/gists');
    expect(town.world.state.unserved).toMatchObject([{ method: 'GET', path: '/api/v3/gists', caller: 'user:ada' }]);
  });
});
