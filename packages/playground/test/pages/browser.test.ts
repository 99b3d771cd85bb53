/**
 * A person on the page in a real browser: switches the speaker, comments, sees the comment appear, sees chart, diff and
 * checks.
 */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, noChromium } from '../support/chromium.ts';
import { openRealSite } from './real-site.ts';
import { openSampleSite, type SampleSite } from './sample-site.ts';

/** `PICTURES=1` updates the pictures of the documentation; otherwise they only prove that the page can be rendered. */
const pictures =
  process.env['PICTURES'] === '1' ? path.resolve('docs/pictures') : mkdtempSync(path.join(os.tmpdir(), 'pictures-'));

describe.skipIf(chromiumPath === null)('the page in a browser', { meta: { skipReason: noChromium } }, () => {
  let site: SampleSite;
  let browser: Browser;
  const problems: string[] = [];
  beforeAll(async () => {
    site = await openSampleSite();
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  const open = async (address: string, width = 1280): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && problems.push(message.text()),
    );
    await page.goto(`${site.baseUrl}${address}`);
    return page;
  };

  it('switches the speaker by keyboard, posts a comment, and shows it without a reload', async () => {
    const page = await open('/lab/marin/pull/4');
    await page.evaluate(() => Reflect.set(window, 'sameDocument', true));
    await page.locator('.speaker > summary', { hasText: /Speaking as.*mira/s }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^ada/ }).press('Enter');
    await page.getByText('Comment as ada').waitFor();
    expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBeUndefined();

    await page.evaluate(() => Reflect.set(window, 'sameDocument', true));
    await page.getByRole('link', { name: '/status' }).click();
    const box = page.getByLabel('Comment text');
    expect(await box.inputValue()).toBe('/status');
    await box.press('Control+Enter');
    await page.locator('.timeline .markdown').getByText('/status', { exact: true }).waitFor();
    expect(await box.inputValue()).toBe('');
    expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBe(true);
    expect(site.api.posted.at(-1)?.token).toBe('token-ada');
    await page.close();
  });

  it('shows another person’s comment without a reload, and keeps a half-written one', async () => {
    const page = await open('/lab/marin/pull/4');
    await page.getByLabel('Comment text').fill('I am still writ');
    await site.api.comment('ravi', 'from **another** desk <script>window.pwned = 1</script>');
    await page.locator('.timeline strong', { hasText: 'another' }).waitFor();
    expect(await page.getByLabel('Comment text').inputValue()).toBe('I am still writ');
    expect(await page.evaluate(() => Reflect.get(window, 'pwned'))).toBeUndefined();
    await page.close();
  });

  it('follows the real playground: the bot’s card appears, and its edited chart is redrawn', async () => {
    const real = await openRealSite();
    const page = await browser.newPage({ extraHTTPHeaders: real.headers });
    await page.goto(`${real.baseUrl}/lab/ferries/pull/1`);
    const chart = (points: string): string => `\`\`\`mermaid\nxychart-beta\n  title "Loss"\n  line [${points}]\n\`\`\``;
    const comments = '/repos/lab/ferries/issues/1/comments';
    const { id } = await real.call('ferrybot', 'POST', comments, { body: `at step 10\n\n${chart('5, 4')}` });
    await page.locator('.markdown').getByText('at step 10').waitFor();
    const line = page.getByRole('img', { name: 'Chart: Loss' }).locator('svg .line-plot-0 path');
    const first = await line.getAttribute('d');
    await real.call('ferrybot', 'PATCH', `/repos/lab/ferries/issues/comments/${String(id)}`, {
      body: `at step 20\n\n${chart('5, 4, 3')}`,
    });
    await page.locator('.markdown').getByText('at step 20').waitFor();
    expect(await line.getAttribute('d')).not.toBe(first);
    expect(await page.locator('.markdown').getByText('at step 10').count()).toBe(0);
    await page.close();
    await real.close();
  });

  it('draws the chart of the status card', async () => {
    const page = await open('/lab/marin/pull/4');
    const drawing = page.getByRole('img', { name: 'Chart: Loss over steps' });
    await drawing.locator('svg path').first().waitFor();
    expect(await drawing.locator('svg').getByText('Loss over steps').count()).toBe(1);
    await page.close();
  });

  it('previews the rendered comment', async () => {
    const page = await open('/lab/marin/pull/4');
    await page.getByLabel('Comment text').fill('- [ ] one');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('[data-preview] input[type=checkbox]').waitFor();
    await page.close();
  });

  it('shows a refusal at the comment box and keeps the text', async () => {
    const page = await open('/lab/marin/pull/4');
    await page.getByLabel('Comment text').fill('refuse me');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    expect(await page.getByRole('alert').filter({ hasText: 'Validation' }).textContent()).toBe('Validation Failed <b>');
    expect(await page.getByLabel('Comment text').inputValue()).toBe('refuse me');
    await page.close();
  });

  it('shows diff and checks, in colour and in words', async () => {
    const files = await open('/lab/marin/pull/4/files');
    const added = files.locator('.diff-added').first();
    expect(await added.textContent()).toContain('learning_rate=4e-3');
    expect(await added.evaluate((row) => getComputedStyle(row).backgroundColor)).toBe('rgb(218, 251, 225)');
    expect(await files.locator('.diff-remark').textContent()).toContain('bucket optimizer');
    await files.close();
    const checks = await open('/lab/marin/pull/4/checks');
    expect(await checks.locator('#check-31').textContent()).toContain('8 of 9 gates passed');
    await checks.close();
  });

  const views = {
    home: '/lab/marin',
    issues: '/lab/marin/issues',
    pull: '/lab/marin/pull/4',
    files: '/lab/marin/pull/4/files',
    commits: '/lab/marin/pull/4/commits',
    checks: '/lab/marin/pull/4/checks',
    actions: '/lab/marin/actions',
    run: '/lab/marin/actions/runs/501',
    thread: '/lab/marin/issues/5',
  };

  it.each([360, 1280])('fits %i pixels without horizontal scrolling, even with hostile text', async (width) => {
    for (const [name, address] of Object.entries(views)) {
      const page = await open(address, width);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(`${name} ${overflow}`).toBe(`${name} 0`);
      await page.close();
    }
  });

  it.each(['light', 'dark'] as const)('takes screenshots of itself (%s)', async (colorScheme) => {
    const calm = await openSampleSite({ hostileText: '' });
    for (const width of [360, 1280]) {
      const light = ['home', 'pull', 'files', 'checks', 'run'] as const;
      for (const name of colorScheme === 'light' ? light : (['pull'] as const)) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        await page.goto(`${calm.baseUrl}${views[name]}`);
        if (name === 'pull') await page.locator('.chart-drawing svg').first().waitFor();
        // The bar sticks to the bottom of the window; in a picture of the whole page it belongs to the bottom of the
        // page.
        await page.addStyleTag({ content: '.world { position: static }' });
        const suffix = colorScheme === 'dark' ? '-dark' : '';
        await page.screenshot({ path: path.join(pictures, `${name}-${width}${suffix}.png`), fullPage: true });
        await page.close();
      }
    }
    await calm.close();
  });

  it('has no script error or content policy violation on any of these pages', () => {
    expect(problems).toEqual([]);
  });
});
