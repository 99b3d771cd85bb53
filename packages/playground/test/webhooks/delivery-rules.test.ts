/** Delivery rules that receivers rely on: headers, no redirects, the size limit, and the current address and secret. */

import { describe, expect, it } from 'vitest';
import { recordPush } from '../../git/pushes.ts';
import { setWebhook } from '../../webhooks/hook.ts';
import { listOutgoing } from '../../webhooks/outgoing.ts';
import { startWebhooks } from '../../webhooks/webhooks.ts';
import type { WorldEvent } from '../../world/bus.ts';
import { requireRow, userById } from '../../world/lookup.ts';
import { appId, appJwt, at, createTown, type Town } from '../world/town.ts';

function listening(town: Town, answer: () => Response = () => new Response('thanks')) {
  const inbox: Request[] = [];
  const hooks = startWebhooks(town.world, async (request) => {
    inbox.push(request);
    return answer();
  });
  return { hooks, inbox };
}

const openIssue = (town: Town) =>
  town.as(town.seeded.tokens.ada).request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });

describe('a delivery', () => {
  // docs.github.com/webhooks: webhook events and payloads, "Delivery headers".
  it('has every header that GitHub documents, and no signature without a secret', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town);
    await openIssue(town);
    setWebhook(town.world, appId, { secret: '' });
    await openIssue(town);
    await hooks.close();
    const [signed, unsigned] = inbox.map(({ headers }) => Object.fromEntries(headers));
    const common = {
      accept: '*/*',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\/[0-9a-f]+$/),
      'x-github-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-github-event': 'issues',
      'x-github-hook-id': `${appId}`,
      'x-github-hook-installation-target-id': `${appId}`,
      'x-github-hook-installation-target-type': 'integration',
    };
    expect(signed).toEqual({
      ...common,
      'x-hub-signature': expect.stringMatching(/^sha1=[0-9a-f]{40}$/),
      'x-hub-signature-256': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    expect(unsigned).toEqual(common);
  });

  it('follows no redirect, which the log shows as a failure', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(
      town,
      () => new Response(null, { status: 302, headers: { location: 'http://elsewhere.test/' } }),
    );
    await openIssue(town);
    await hooks.close();
    expect(inbox.map(({ redirect }) => redirect)).toEqual(['manual']);
    expect(Object.values(town.world.state.deliveries)).toMatchObject([
      { status: 'Invalid HTTP Response: 302', statusCode: 302 },
    ]);
  });

  it('is redelivered to the current address', async () => {
    const town = createTown();
    const { hooks, inbox } = listening(town, () => new Response('', { status: 500 }));
    await openIssue(town);
    await hooks.settled();
    setWebhook(town.world, appId, { url: 'http://moved.test/hook' });
    const delivery_id = requireRow(Object.values(town.world.state.deliveries)[0], 'delivery').id;
    const again = 'POST /app/hook/deliveries/{delivery_id}/attempts';
    await town.as(appJwt(town)).request(again, { delivery_id });
    await hooks.close();
    expect(inbox.map(({ url }) => url)).toEqual(['http://bot.test/hook', 'http://moved.test/hook']);
  });

  it('with more than 25 MB is not sent', async () => {
    const town = createTown();
    const emitted: WorldEvent[] = [];
    town.world.bus.subscribe((event) => void emitted.push(event));
    await openIssue(town);
    const event = requireRow(emitted[0], 'event');
    const grown = (bytes: number): WorldEvent => {
      const issue = { ...Object(event.payload['issue']), body: 'x'.repeat(bytes) };
      return { ...event, payload: { ...event.payload, issue } };
    };
    expect(listOutgoing(town.world, grown(24 * 1024 * 1024))).toHaveLength(1);
    expect(listOutgoing(town.world, grown(25 * 1024 * 1024))).toHaveLength(0);
  });
});

describe('a push', () => {
  // docs.github.com/webhooks: `push` and `create`, "more than three tags".
  it('of more than three tags has no tag events; a new branch lists commits that are not on the default branch', async () => {
    const town = createTown();
    const main = await town.commit('main', { 'a.txt': 'one\n' });
    const tip = await town.commit('side', { 'a.txt': 'two\n' });
    const emitted: string[] = [];
    const commits: unknown[] = [];
    town.world.bus.subscribe(({ type, payload }) => {
      emitted.push(`${type} ${String(payload['ref'])}`);
      if (type === 'push') commits.push([Object(payload['head_commit']).id, payload['commits']]);
    });
    const act = {
      world: town.world,
      repo: town.seeded.repo,
      caller: { kind: 'user', userId: 1001 },
      actor: userById(town.world, town.seeded.repo.ownerId),
    } as const;
    const tags = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ref: `refs/tags/v${index}`, before: null, after: main }));
    await recordPush(act, [...tags(4), { ref: 'refs/heads/side', before: null, after: tip }]);
    expect(emitted).toEqual(['create side', 'push refs/heads/side']);
    expect(commits).toEqual([[tip, [expect.objectContaining({ id: tip })]]]);
    await recordPush(act, tags(3));
    expect(emitted).toHaveLength(8);
    expect(commits.slice(1)).toEqual([
      [main, []],
      [main, []],
      [main, []],
    ]);
  });
});
