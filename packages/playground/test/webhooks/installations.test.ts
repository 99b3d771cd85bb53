/** Changes of an App's installation and webhook, and the events that the App receives. */

import { verify } from '@octokit/webhooks-methods';
import { afterEach, describe, expect, it } from 'vitest';
import { answerControl } from '../../http/control.ts';
import { authorize } from '../../http/git-door.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { setWebhook } from '../../webhooks/hook.ts';
import { chooseRepositories, install, uninstall } from '../../webhooks/installations.ts';
import { startWebhooks, type Webhooks } from '../../webhooks/webhooks.ts';
import { requireRow } from '../../world/lookup.ts';
import { appId, at, createTown, refusal, secret, type Town } from '../world/town.ts';

const open: Webhooks[] = [];
afterEach(async () => {
  for (const hooks of open.splice(0)) await hooks.close();
});

type Received = { readonly name: string; readonly signature: string; readonly body: string };

function listening(town: Town): { readonly hooks: Webhooks; readonly inbox: Received[] } {
  const inbox: Received[] = [];
  const hooks = startWebhooks(town.world, async (request) => {
    const body = await request.text();
    const { action }: { readonly action?: string } = JSON.parse(body);
    const name = [request.headers.get('x-github-event'), ...(action === undefined ? [] : [action])].join('.');
    inbox.push({ name, signature: request.headers.get('x-hub-signature-256') ?? '', body });
    return new Response('thanks');
  });
  open.push(hooks);
  return { hooks, inbox };
}

const installation = (town: Town) => requireRow(Object.values(town.world.state.installations)[0], 'installation');
const openIssue = (town: Town, title: string) =>
  town.as(town.seeded.tokens.ada).request('POST /repos/{owner}/{repo}/issues', { ...at, title });

function control(town: Town, path: string, body: object): Promise<Response | null> {
  const init = { method: 'PUT', body: JSON.stringify(body) };
  return answerControl(town.world, null, new Request(`http://github.test/_playground/${path}`, init));
}

describe('a suspended installation', () => {
  it('gets the suspend event, has no access and no other events, and works again afterwards', async () => {
    const town = createTown();
    await town.commit('main', { a: '1' });
    const { hooks, inbox } = listening(town);
    const { id } = installation(town);
    const row = installation(town);
    const token = mintInstallationToken(town.world, row, row.permissions, null).token;
    const bot = town.as(token);
    expect((await control(town, 'installation', { suspended: true }))?.status).toBe(200);
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['installation.suspend']);
    expect(await refusal(bot.request('GET /repos/{owner}/{repo}/issues', at))).toMatchObject({
      status: 403,
      message: 'This installation has been suspended',
    });
    const mint = () =>
      town.asApp().request('POST /app/installations/{installation_id}/access_tokens', { installation_id: id });
    expect(await refusal(mint())).toMatchObject({ status: 403, message: 'This installation has been suspended' });
    expect(authorize(town.world, 'lab', 'ferries', token, 'upload-pack')).toBe('forbidden');
    const { data: rows } = await town.asApp().request('GET /app/installations');
    expect(rows).toMatchObject([{ id, suspended_at: expect.stringMatching(/Z$/), suspended_by: { login: 'lab' } }]);
    await openIssue(town, 'Nobody hears this');
    await hooks.settled();
    expect(inbox).toHaveLength(1);
    await town.asApp().request('DELETE /app/installations/{installation_id}/suspended', { installation_id: id });
    await openIssue(town, 'Heard again');
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['installation.suspend', 'installation.unsuspend', 'issues.opened']);
    expect((await bot.request('GET /repos/{owner}/{repo}/issues', at)).data).toHaveLength(2);
    expect(authorize(town.world, 'lab', 'ferries', token, 'upload-pack')).toBe('ok');
  });
});

describe('a permission upgrade', () => {
  it('sends an event, and applies only to tokens created afterwards', async () => {
    const town = createTown({ permissions: { issues: 'read' } });
    const { hooks, inbox } = listening(town);
    const row = installation(town);
    const old = town.as(mintInstallationToken(town.world, row, row.permissions, null).token);
    const write = (octokit: typeof old) => octokit.request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
    expect((await refusal(write(old))).status).toBe(403);
    await control(town, 'installation', { permissions: { issues: 'write' }, events: ['issues'] });
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['installation.new_permissions_accepted']);
    expect(JSON.parse(inbox[0]?.body ?? '')).toMatchObject({ installation: { permissions: { issues: 'write' } } });
    expect((await refusal(write(old))).status).toBe(403);
    expect((await write(town.asInstallation())).status).toBe(201);
  });
});

describe('a requested permission upgrade', () => {
  // docs.github.com/apps: modifying a GitHub App registration, "the account must approve the new permissions".
  it('is shown with the App and does not apply until it is accepted', async () => {
    const town = createTown({ permissions: { issues: 'read' } });
    const { hooks, inbox } = listening(town);
    const row = installation(town);
    await control(town, 'installation', { requested: { issues: 'write' }, events: ['issues'] });
    await hooks.settled();
    expect(inbox).toEqual([]);
    expect((await town.asApp().request('GET /app')).data?.permissions).toMatchObject({ issues: 'write' });
    const { data: before } = await town.asApp().request('GET /app/installations');
    expect(before[0]?.permissions).toMatchObject({ issues: 'read' });
    const mint = 'POST /app/installations/{installation_id}/access_tokens';
    const wish = { installation_id: row.id, permissions: { issues: 'write' } } as const;
    expect((await refusal(town.asApp().request(mint, wish))).status).toBe(422);
    expect(
      (await refusal(town.asInstallation().request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' }))).status,
    ).toBe(403);
    await control(town, 'installation', { accepted: true });
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['installation.new_permissions_accepted']);
    expect((await town.asApp().request(mint, wish)).data.permissions).toMatchObject({ issues: 'write' });
  });
});

describe('the repositories of an installation', () => {
  it('send an event when they change, and limit the App’s access', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town);
    const { id } = installation(town);
    chooseRepositories(town.world, id, town.seeded.repo.ownerId, []);
    expect((await town.asInstallation().request('GET /installation/repositories')).data.repositories).toEqual([]);
    await control(town, 'installation', { repositories: null });
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual([
      'installation_repositories.removed',
      'installation_repositories.added',
    ]);
    expect(JSON.parse(inbox[1]?.body ?? '')).toMatchObject({ repositories_added: [{ full_name: 'lab/ferries' }] });
  });

  it('are not accessible after it is removed, its tokens are revoked, and a new installation sends created', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town);
    const row = installation(town);
    const token = mintInstallationToken(town.world, row, row.permissions, null).token;
    uninstall(town.world, row.id, town.seeded.repo.ownerId);
    expect(await refusal(town.as(token).request('GET /repos/{owner}/{repo}', at))).toMatchObject({
      status: 401,
      message: 'Bad credentials',
    });
    const { createdAtMs: _at, ...again } = row;
    install(town.world, { ...again, id: row.id + 1 }, town.seeded.repo.ownerId);
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['installation.deleted', 'installation.created']);
  });
});

describe('a webhook', () => {
  it('gets a ping at first, and a new secret signs every later delivery, including redeliveries', async () => {
    const town = createTown();
    const app = requireRow(town.world.state.apps[appId], 'the App');
    town.world.state.apps[appId] = { ...app, webhook: null };
    const { hooks, inbox } = listening(town);
    setWebhook(town.world, appId, { url: 'http://bot.test/hook', secret });
    await hooks.settled();
    expect(JSON.parse(inbox[0]?.body ?? '')).toMatchObject({
      zen: expect.any(String),
      hook_id: appId,
      hook: { type: 'App' },
    });
    expect(await verify(secret, inbox[0]?.body ?? '', inbox[0]?.signature ?? '')).toBe(true);

    await town.asApp().request('PATCH /app/hook/config', { secret: 'another secret' });
    await openIssue(town, 'T');
    await hooks.settled();
    const { data: log } = await town.asApp().request('GET /app/hook/deliveries');
    expect(log.map(({ event }) => event)).toEqual(['issues', 'ping']);
    await town.asApp().request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: Number(log[1]?.id) });
    await hooks.settled();
    expect(inbox.map(({ name }) => name)).toEqual(['ping', 'issues.opened', 'ping']);
    for (const { body, signature } of inbox.slice(1)) {
      expect(await verify('another secret', body, signature)).toBe(true);
      expect(await verify(secret, body, signature)).toBe(false);
    }
  });
});
