/**
 * The playground serves only the user who started it: other users of the machine get neither pages nor
 * tokens.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, noChromium } from '../../../packages/playground/test/support/chromium.ts';
import { openFerrySite } from '../pages/ferry-site.ts';

async function open() {
  const site = await openFerrySite();
  onTestFinished(site.close);
  const { origin } = new URL(site.home);
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${origin}${path}`, { method, headers, redirect: 'manual' });
  return { ...site, origin, ask, token: new URL(site.printed).searchParams.get('token') ?? '' };
}

const PAGES = ['/', '/lab/ferries', '/lab/ferries/pulls', '/_playground/world', '/nowhere'];
const CONTROL = ['people', 'usage', 'deliveries', 'limits', 'unserved', 'faults', 'clock', 'events'];

describe('another user of the machine', () => {
  it('gets no page, but a hint to open the printed address', async () => {
    const { ask } = await open();
    for (const path of PAGES) {
      const answer = await ask(path);
      const page = await answer.text();
      expect([path, answer.status]).toEqual([path, 401]);
      expect(page).toContain('Open the address that the playground printed when it started');
      expect(page).not.toContain('lab/ferries"');
    }
  });

  // threat T247
  it.each([
    ['no secret', {}],
    ['a wrong one in the header', { authorization: 'Bearer guessed' }],
    ['a wrong one in the cookie', { cookie: 'playground_user=guessed' }],
    ['the name of a person', { cookie: 'playground_speaker=mira' }],
  ])('with %s gets nothing from the control API, and no token', async (_, headers) => {
    const { ask, lab } = await open();
    const tokens = Object.keys(lab.world.state.tokens);
    expect(tokens.length).toBeGreaterThan(0);
    for (const name of CONTROL) {
      const answer = await ask(`/_playground/${name}`, headers);
      const said = await answer.text();
      expect([name, answer.status]).toEqual([name, 401]);
      expect(tokens.filter((token) => said.includes(token))).toEqual([]);
    }
    for (const name of ['faults', 'clock', 'installation', 'webhook'])
      expect((await ask(`/_playground/${name}`, headers, 'PUT')).status).toBe(401);
  });

  it('cannot act on a page, and cannot sign in with a wrong token', async () => {
    const { ask, lab } = await open();
    expect((await ask('/lab/ferries/own-pull', { cookie: 'playground_speaker=mira' }, 'POST')).status).toBe(401);
    expect((await ask('/_playground/speaker', {}, 'POST')).status).toBe(401);
    const guessed = await ask('/lab/ferries?token=guessed');
    expect(guessed.status).toBe(401);
    expect(guessed.headers.get('set-cookie')).toBeNull();
    expect(Object.keys(lab.world.state.issues)).toEqual([]);
  });

  it('reads from the API and git only what GitHub shows to everyone, and can change nothing', async () => {
    const { ask } = await open();
    expect((await ask('/api/v3/repos/lab/ferries')).status).toBe(200);
    expect((await ask('/api/v3/user')).status).toBe(401);
    expect((await ask('/api/v3/repos/lab/ferries/issues', {}, 'POST')).status).toBe(401);
    expect((await ask('/api/v3/app/installations')).status).toBe(401);
  });
});

describe('the printed address', () => {
  it('sets an HttpOnly, SameSite cookie and redirects to the address without the token', async () => {
    const { ask, printed, token, origin } = await open();
    const { pathname, search } = new URL(printed);
    const answer = await ask(`${pathname}${search}&tab=files`);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/lab/ferries?tab=files');
    const cookie = answer.headers.get('set-cookie') ?? '';
    const name = `playground_user_${new URL(origin).port}`;
    expect(cookie).toBe(`${name}=${token}; Path=/; HttpOnly; SameSite=Strict`);
    expect(token.length).toBeGreaterThanOrEqual(32);
    for (const path of ['/lab/ferries', '/_playground/world', '/_playground/people'])
      expect((await ask(path, { cookie: `${name}=${token}` })).status).toBe(200);
    expect((await ask('/_playground/people', { authorization: `token ${token}` })).status).toBe(200);
  });

  it('has another token in every playground', async () => {
    const [one, two] = [await open(), await open()];
    expect(one.token).not.toBe(two.token);
    expect((await two.ask('/lab/ferries', one.headers)).status).toBe(401);
  });

  it('redirects only to this server', async () => {
    const { ask, token } = await open();
    expect((await ask(`//evil.example/lab?token=${token}`)).headers.get('location')).toBe('/lab');
  });
});

describe('a form', () => {
  // threat T248
  it.each([
    [{ origin: 'http://evil.example' }],
    [{ origin: 'http://127.0.0.1:1' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ] as const)('from another site is rejected even if the browser sends the cookie: %o', async (from) => {
    const { ask, headers, lab } = await open();
    const sent = { ...headers, ...from };
    const press = await ask('/lab/ferries/own-pull', { ...sent, cookie: 'playground_speaker=ada' }, 'POST');
    expect(press.status).toBe(403);
    expect((await ask('/_playground/clock', sent, 'PUT')).status).toBe(403);
    expect(Object.keys(lab.world.state.issues)).toEqual([]);
  });

  it('from the playground is accepted from a browser that sends only Origin', async () => {
    const { ask, headers, origin, lab } = await open();
    const cookie = 'playground_speaker=ada';
    expect((await ask('/lab/ferries/own-pull', { ...headers, origin, cookie }, 'POST')).status).toBe(303);
    expect(Object.keys(lab.world.state.issues)).toHaveLength(1);
  });
});

describe.skipIf(chromiumPath === null)('in a browser', { meta: { skipReason: noChromium } }, () => {
  it("the user is signed in by one click on the printed address, also from another site's page", async () => {
    const { printed, home } = await open();
    const elsewhere = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="${printed}">the lab</a>`);
    }).listen(0, '127.0.0.1');
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    onTestFinished(async () => {
      await browser.close();
      elsewhere.close();
    });
    const { port } = elsewhere.address() as AddressInfo;
    for (const from of [printed, `http://localhost:${port}/`]) {
      const page = await (await browser.newContext()).newPage();
      await page.goto(from);
      if (from !== printed) await page.getByText('the lab').click();
      await page.getByText('Nothing waits for you').waitFor();
      expect(page.url()).toBe(home);
      await page.getByRole('link', { name: 'Pull requests', exact: true }).click();
      await page.waitForURL(/\/pulls$/);
    }
  });
});
