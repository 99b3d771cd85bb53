/** The world's panel: its display of limits and faults, and its buttons. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhooks, type Webhooks } from '../../../webhooks/webhooks.ts';
import { openRealSite, type RealSite } from '../real-site.ts';

let site: RealSite;
let hooks: Webhooks;
const received: string[] = [];
beforeAll(async () => {
  site = await openRealSite();
  for (const [id, app] of Object.entries(site.world.state.apps))
    if (app.publicKeyPem !== null)
      site.world.state.apps[id] = { ...app, webhook: { url: 'http://bot.test/hook', secret: 'secret words' } };
  for (const [id, row] of Object.entries(site.world.state.installations))
    site.world.state.installations[id] = { ...row, events: ['issues', 'issue_comment'] };
  hooks = startWebhooks(site.world, async (request) => {
    received.push(request.headers.get('x-github-delivery') ?? '');
    return new Response('ok');
  });
});
afterAll(async () => {
  await hooks.close();
  await site.close();
});

const panel = async (): Promise<string> =>
  (await fetch(`${site.baseUrl}/_playground/world`, { headers: site.headers })).text();
const turn = async (what: string, fields: Record<string, string>): Promise<number> => {
  const body = new URLSearchParams(fields);
  const address = `${site.baseUrl}/_playground/world/${what}`;
  return (await fetch(address, { method: 'POST', headers: site.headers, body, redirect: 'manual' })).status;
};
const fault = { kind: 'server-error', percent: '100', seed: '3', route: 'POST */comments', seconds: '60' };

describe('the panel', () => {
  it('is linked from every page, and shows a token’s usage of every limit', async () => {
    expect(await (await fetch(`${site.baseUrl}/lab/ferries`, { headers: site.headers })).text()).toContain(
      'href="/_playground/world"',
    );
    await site.call('ferrybot', 'POST', '/repos/lab/ferries/issues/1/comments', { body: 'at sea' });
    const page = await panel();
    const row = /<h4><code>installation:\d+<\/code><\/h4>(.*?)<\/section>/s.exec(page)?.[1] ?? '';
    const used = [...row.matchAll(/<span class="nowrap">(\d+ of \d+)<\/span>/g)].map(([, words]) => words);
    expect(used).toEqual(['1 of 5000', '1 of 80', '1 of 500', '5 of 900', '0 of 2000', '0 of 100']);
    expect(page).toContain('Cost by caller');
  });

  it('switches a fault on, shows its strikes, and switches it off', async () => {
    const postComment = (): Promise<unknown> =>
      site.call('ferrybot', 'POST', '/repos/lab/ferries/issues/1/comments', { body: 'again' });
    expect(await turn('faults', fault)).toBe(303);
    await expect(postComment()).rejects.toThrow(/ 50[023] /);
    const page = await panel();
    expect(page).toMatch(/server-error<\/strong> 100 % of <code>POST \*\/comments<\/code>, seed 3/);
    expect(page).toMatch(/<td><code>POST \/repos\/lab\/ferries\/issues\/1\/comments<\/code><\/td>/);
    expect(await turn('faults', { off: '0' })).toBe(303);
    await postComment();
    expect(await panel()).toContain('No fault is on.');
  });

  it.each([
    { percent: '' },
    { percent: '101' },
    { kind: 'earthquake' },
    { seconds: 'x' },
    { seed: '1.5' },
    { route: '' },
  ])('refuses a fault with %j', async (wrong) => {
    expect(await turn('faults', { ...fault, ...wrong })).toBe(422);
    expect(site.world.state.settings.faults).toEqual([]);
  });

  it('sends a delivery again, with the same GUID', async () => {
    await site.call('ada', 'POST', '/repos/lab/ferries/issues', { title: 'Heard?' });
    await hooks.settled();
    const [delivery] = Object.values(site.world.state.deliveries).toReversed();
    expect(await panel()).toContain(delivery?.guid ?? 'none');
    expect(await turn('redeliver', { delivery: String(delivery?.id) })).toBe(303);
    await hooks.settled();
    expect(received.filter((guid) => guid === delivery?.guid)).toHaveLength(2);
    expect(await turn('redeliver', { delivery: '999999' })).toBe(422);
  });

  it('does not move a clock that cannot be moved by hand', async () => {
    expect(await panel()).toContain('cannot be moved by hand');
    expect(await turn('clock', { durationMs: '60000' })).toBe(422);
  });

  it('ignores a form from another site', async () => {
    const headers = { ...site.headers, 'sec-fetch-site': 'cross-site' };
    const address = `${site.baseUrl}/_playground/world/faults`;
    const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(fault), headers });
    expect(answer.status).toBe(403);
    expect(site.world.state.settings.faults).toEqual([]);
  });
});
