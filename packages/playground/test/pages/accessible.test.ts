/** Every screen, light and dark, wide and narrow, checked by axe: no serious violation, and no horizontal scrolling. */

import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, noChromium } from '../support/chromium.ts';
import { openRealSite, type RealSite } from './real-site.ts';
import { openSampleSite, type SampleSite } from './sample-site.ts';

const SAMPLE_SCREENS = [
  '/lab/marin',
  '/lab/marin/issues',
  '/lab/marin/pulls',
  '/lab/marin/pull/4',
  '/lab/marin/pull/4/files',
  '/lab/marin/pull/4/commits',
  '/lab/marin/pull/4/checks',
  '/lab/marin/actions',
  '/lab/marin/actions/runs/501',
  '/lab/marin/issues/5',
  '/lab/marin/nowhere/at/all',
];
const REAL_SCREENS = ['/_playground/world', '/lab/ferries/blob/main/experiments/daily.py', '/lab/ferries/commits'];

describe.skipIf(chromiumPath === null)('axe', { meta: { skipReason: noChromium } }, () => {
  let sample: SampleSite;
  let real: RealSite;
  let browser: Browser;
  beforeAll(async () => {
    [sample, real] = await Promise.all([openSampleSite(), openRealSite()]);
    const fault = { kind: 'slow', rate: 0.2, seed: 1, route: '*', people: false, durationMs: 1000 } as const;
    real.world.state.settings.faults = [fault];
    await real.call('ferrybot', 'POST', '/repos/lab/ferries/issues/1/comments', { body: 'struck, perhaps' });
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([sample.close(), real.close()]);
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([360, 1280])('finds no serious violation and no horizontal scrolling at %i pixels', async (width) => {
      const page = await browser.newPage({
        extraHTTPHeaders: real.headers,
        viewport: { width, height: 900 },
        colorScheme,
      });
      const addresses = [
        ...SAMPLE_SCREENS.map((path) => `${sample.baseUrl}${path}`),
        ...REAL_SCREENS.map((path) => `${real.baseUrl}${path}`),
      ];
      const found: string[] = [];
      for (const address of addresses) {
        await page.goto(address);
        await page.evaluate(axe.source);
        found.push(...(await seriousIn(page)).map((one) => `${new URL(address).pathname}: ${one}`));
        if ((await sideways(page)) > 0) found.push(`${new URL(address).pathname} scrolls sideways`);
      }
      await page.close();
      expect(found).toEqual([]);
    });
  });
});

async function sideways(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

async function seriousIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const judge: { run: (root: Document) => Promise<{ violations: AxeViolation[] }> } = Reflect.get(window, 'axe');
    type AxeViolation = { id: string; impact: string; nodes: { target: unknown[]; failureSummary: string }[] };
    const { violations } = await judge.run(document);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map((node) => `${id} ${String(node.target[0])} ${node.failureSummary}`),
      );
  });
}
