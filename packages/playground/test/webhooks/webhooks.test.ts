/** Webhooks: signed, sent once, logged; lost by a fault; redelivered on request. */

import { verify } from '@octokit/webhooks-methods';
import { describe, expect, it } from 'vitest';
import { startWebhooks, type Webhooks } from '../../webhooks/webhooks.ts';
import { allEvents, appJwt, at, createTown, keys, refusal, secret, type Town } from '../world/town.ts';

type Received = { readonly headers: Headers; readonly body: string };

function listening(
  town: Town,
  status: () => number = () => 200,
): { readonly hooks: Webhooks; readonly inbox: Received[] } {
  const inbox: Received[] = [];
  const hooks = startWebhooks(town.world, async (request) => {
    inbox.push({ headers: request.headers, body: await request.text() });
    return new Response('thanks', { status: status() });
  });
  return { hooks, inbox };
}

async function talk(town: Town): Promise<void> {
  const ada = town.as(town.seeded.tokens.ada);
  const { data } = await ada.request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
  const comment = { ...at, issue_number: data.number, body: '/status “now”' };
  await ada.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', comment);
}

const nameOf = (one: Received): string => {
  const payload: { readonly action?: string } = JSON.parse(one.body);
  return `${one.headers.get('x-github-event')}.${payload.action}`;
};

describe('webhooks', () => {
  it('are signed over their exact bytes and have GitHub’s documented form', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town);
    await talk(town);
    await hooks.settled();
    expect(inbox.map(nameOf).toSorted()).toEqual(['issue_comment.created', 'issues.opened']);
    for (const one of inbox) {
      expect(await verify(secret, one.body, one.headers.get('x-hub-signature-256') ?? '')).toBe(true);
      expect(await verify(secret, `${one.body} `, one.headers.get('x-hub-signature-256') ?? '')).toBe(false);
      expect(one.headers.get('x-github-delivery')).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(one.headers.get('x-github-hook-installation-target-type')).toBe('integration');
    }
    expect(new Set(inbox.map((one) => one.headers.get('x-github-delivery'))).size).toBe(2);
    const comment: unknown = JSON.parse(inbox.find((one) => nameOf(one).startsWith('issue_comment'))?.body ?? '');
    expect(comment).toMatchObject({
      action: 'created',
      comment: { body: '/status “now”', user: { login: 'ada' } },
      issue: { number: 1 },
      repository: { full_name: 'lab/ferries' },
      sender: { login: 'ada' },
      installation: { id: town.seeded.app?.installationId },
    });
    await hooks.close();
  });

  it('go only to Apps that are subscribed and have the permission to read the event', async () => {
    const town = createTown({ permissions: { contents: 'read' } });
    const { hooks, inbox } = listening(town);
    await talk(town);
    await hooks.settled();
    expect(inbox).toEqual([]);
    const deaf = createTown({
      app: {
        id: 1,
        publicKeyPem: keys.publicKey,
        permissions: { issues: 'write' },
        events: ['push'],
        webhook: { url: 'http://x', secret },
      },
    });
    const second = listening(deaf);
    await talk(deaf);
    await second.hooks.settled();
    expect(second.inbox).toEqual([]);
    expect(allEvents).toContain('issue_comment');
  });

  it('are not retried automatically, but redelivered on request with the same GUID and bytes', async () => {
    const town = createTown();
    let status = 500;
    const { hooks, inbox } = listening(town, () => status);
    await talk(town);
    await hooks.settled();
    expect(inbox).toHaveLength(2);
    const app = town.asApp();
    const failed = await app.request('GET /app/hook/deliveries', { status: 'failure' } as never);
    expect(failed.data.map((one) => [one.status_code, one.redelivery])).toEqual([
      [500, false],
      [500, false],
    ]);
    const delivery_id = Number(failed.data.find((one) => one.event === 'issue_comment')?.id ?? 0);
    const full = await app.request('GET /app/hook/deliveries/{delivery_id}', { delivery_id });
    expect(full.data.request.payload).toMatchObject({ action: 'created' });
    expect(JSON.stringify(full.data)).not.toContain(secret);
    status = 200;
    expect((await app.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id })).status).toBe(202);
    await hooks.settled();
    const again = inbox[2];
    const first = inbox.find((one) => one.headers.get('x-github-delivery') === again?.headers.get('x-github-delivery'));
    expect(again?.body).toBe(first?.body);
    const newest = (await app.request('GET /app/hook/deliveries')).data[0];
    expect(newest).toMatchObject({ redelivery: true, status: 'OK', status_code: 200 });
  });

  it('can be redelivered for three days, and are not listed afterwards', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town, () => 500);
    await talk(town);
    await hooks.settled();
    // An App signs with the town's time, which differs from the machine's by now.
    const app = () => town.as(appJwt(town));
    const delivery_id = Number((await app().request('GET /app/hook/deliveries')).data[0]?.id ?? 0);
    const redeliver = 'POST /app/hook/deliveries/{delivery_id}/attempts';
    town.advance(71 * 60 * 60 * 1000);
    expect((await app().request(redeliver, { delivery_id })).status).toBe(202);
    await hooks.settled();
    expect(inbox).toHaveLength(3);
    town.advance(2 * 60 * 60 * 1000);
    const gone = app();
    expect((await refusal(gone.request(redeliver, { delivery_id }))).status).toBe(404);
    const one = gone.request('GET /app/hook/deliveries/{delivery_id}', { delivery_id });
    expect((await refusal(one)).status).toBe(404);
    // A redelivery of two hours ago is newer.
    expect((await gone.request('GET /app/hook/deliveries')).data.map(({ redelivery }) => redelivery)).toEqual([true]);
  });

  it('are dropped on request: all, or a share of an event by seed', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town);
    town.world.state.settings.drop = 'all';
    await talk(town);
    await hooks.settled();
    expect(inbox).toEqual([]);
    town.world.state.settings.drop = { event: 'issues', seed: 7, rate: 1 };
    await talk(town);
    await hooks.settled();
    expect(inbox.map(nameOf)).toEqual(['issue_comment.created']);
    town.world.state.settings.drop = { event: '*', seed: 7, rate: 0.5 };
    for (let count = 0; count < 20; count += 1) await talk(town);
    await hooks.settled();
    expect(inbox.length).toBeGreaterThan(5);
    expect(inbox.length).toBeLessThan(36);
  });

  it('are logged as failures when the receiver is down', async () => {
    const town = createTown();
    const hooks = startWebhooks(town.world, async () => {
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    });
    await talk(town);
    await hooks.settled();
    expect(Object.values(town.world.state.deliveries)).toMatchObject([
      { status: 'failed to connect to host', statusCode: 502 },
      { status: 'failed to connect to host', statusCode: 502 },
    ]);
  });

  it('time out when the receiver does not answer', async () => {
    const town = createTown();
    const hooks = startWebhooks(
      town.world,
      (request) =>
        new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
      20,
    );
    await talk(town);
    await hooks.settled();
    const { data } = await town.asApp().request('GET /app/hook/deliveries');
    expect(data.map(({ status, status_code: code }) => [status, code])).toEqual([
      ['timed out', 504],
      ['timed out', 504],
    ]);
    await hooks.close();
  });
});
