/** A thread of five thousand comments: rendered, scrolled, searched and jumped in without lag, and updated live. */

import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, noChromium } from '../support/chromium.ts';
import { plantComments } from '../support/long-thread.ts';
import { openRealSite, type RealSite } from './real-site.ts';

const COMMENTS = 5_000;
/** A GitHub page with a hundred comments has about ten thousand elements. */
const ELEMENTS_MAX = 60_000;

let site: RealSite;
beforeAll(async () => {
  site = await openRealSite();
  await site.call('ada', 'POST', '/repos/lab/ferries/issues/1/comments', { body: 'the first' });
  plantComments(site.world, COMMENTS, (id) => `line **${id}** of a long story${id === 102_500 ? ', the needle' : ''}`);
});
afterAll(() => site.close());

const address = (): string => `${site.baseUrl}/lab/ferries/pull/1`;

describe('five thousand comments', () => {
  it('are on one page: the newest rendered, the others as text with their anchors', async () => {
    const page = await (await fetch(address(), { headers: site.headers })).text();
    expect(page.match(/id="issuecomment-\d+"/g)).toHaveLength(COMMENTS);
    expect(page).toContain('line **100000** of a long story');
    expect(page).toContain('line <strong>104998</strong> of a long story');
    expect(page.match(/class="said"/g)?.length).toBeLessThan(220);
  });

  it('include one rendered earlier comment if the address asks for it', async () => {
    const page = await (await fetch(`${address()}?around=102500`, { headers: site.headers })).text();
    expect(page).toContain('line <strong>102500</strong> of a long story, the needle');
    expect(page.match(/id="issuecomment-\d+"/g)).toHaveLength(COMMENTS);
  });

  it('are streamed: the head of the page arrives before the last comments', async () => {
    const answer = await fetch(address(), { headers: site.headers });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value: first = '' } = (await reader?.read()) ?? {};
    expect(first).toContain('<h1');
    expect(first).not.toContain('issuecomment-104898');
    // A client that disconnects in the middle must not cause an error: closing the site throws if there was one.
    await reader?.cancel();
    expect((await fetch(`${site.baseUrl}/lab/ferries`, { headers: site.headers })).status).toBe(200);
  });

  it('are reported as unreadable when their request fails, and the page is still complete', async () => {
    site.world.state.settings.faults = [
      {
        kind: 'server-error',
        rate: 1,
        seed: 1,
        route: 'GET /repos/lab/ferries/issues/1/comments',
        people: true,
        durationMs: 0,
      },
    ];
    const page = await (await fetch(address(), { headers: site.headers })).text();
    site.world.state.settings.faults = [];
    expect(page).toContain('A hundred comments cannot be read');
    expect(page).toContain('</html>');
  });

  it('are not sent again in a live update', async () => {
    const update = await fetch(address(), { headers: { ...site.headers, 'x-playground-earlier': '4900' } });
    const page = await update.text();
    expect(page).toContain('line <strong>104998</strong>');
    expect(page.match(/id="issuecomment-\d+"/g)?.length).toBe(COMMENTS - 4_900);
  });
});

describe.skipIf(chromiumPath === null)('in a browser', { meta: { skipReason: noChromium } }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it.each([360, 1280])(
    'at %i pixels: scrolls, finds, jumps, and shows a new comment without a reload',
    async (width) => {
      const page = await browser.newPage({ extraHTTPHeaders: site.headers, viewport: { width, height: 900 } });
      await page.goto(address());
      expect(await page.locator('*').count()).toBeLessThan(ELEMENTS_MAX);
      const paintMs = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
      console.info(
        `first paint ${Math.round(paintMs ?? -1)} ms, slowest frame ${await slowestFrameMs(page)} ms at ${width} pixels`,
      );
      // The browser's own search, like Ctrl+F.
      expect(await page.evaluate(() => Reflect.get(window, 'find').call(window, 'the needle'))).toBe(true);
      await page.goto(`${address()}#issuecomment-101234`);
      await page.locator('#issuecomment-101234').waitFor();
      expect(await inSight(page, '#issuecomment-101234')).toBe(true);
      await page.evaluate(() => Reflect.set(window, 'sameDocument', true));
      await site.call('ravi', 'POST', '/repos/lab/ferries/issues/1/comments', { body: `news at **${width}**` });
      await page.locator('.timeline strong', { hasText: String(width) }).waitFor();
      expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBe(true);
      expect(await page.locator('.plain-comment').count()).toBeGreaterThan(4_500);
      await page.close();
    },
  );
});

/** Scrolls from top to bottom in forty steps of one frame each; returns the longest frame. */
async function slowestFrameMs(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    let slowest = 0;
    let before = await frame();
    for (let step = 1; step <= 40; step += 1) {
      window.scrollTo(0, (document.documentElement.scrollHeight * step) / 40);
      const now = await frame();
      slowest = Math.max(slowest, now - before);
      before = now;
    }
    return Math.round(slowest);
  });
}

async function inSight(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  });
}
