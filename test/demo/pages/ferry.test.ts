/**
 * A ferry in a browser, from the dispatch to the merged closure, in a narrow and a wide window; only the time
 * is virtual.
 */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { chromiumPath, noChromium } from '../../../packages/playground/test/support/chromium.ts';
import { requireApprovalLine } from '../../support/approve.ts';
import { readState, todaysRun, until } from '../../support/play.ts';
import { type FerrySite, openFerrySite } from './ferry-site.ts';

/** `PICTURES=1` renews the pictures in the docs; otherwise they only show that the page can be rendered. */
const pictures =
  process.env['PICTURES'] === '1' ? path.resolve('docs/pictures') : mkdtempSync(path.join(os.tmpdir(), 'pictures-'));
/** Both ferries together take half a minute on an idle machine. */
const PATIENCE_MS = 180_000;

/** A browser page, and the lab on virtual time. */
type Seat = { readonly page: Page; readonly site: FerrySite; readonly width: number };

describe.skipIf(chromiumPath === null)('a ferry in the browser', { meta: { skipReason: noChromium } }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it.each([360, 1280])(
    'runs in %i pixels from the first click to the merged closure',
    { timeout: PATIENCE_MS },
    async (width) => {
      const site = await openFerrySite();
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      const seat: Seat = { page, site, width };
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      try {
        await dispatchTheDay(seat);
        await readTheProposal(seat);
        await tickTheBox(seat);
        await approveByKeyboard(seat);
        await watchTheLaunch(seat);
        await hearOfTheEval(seat);
        await sealAndMerge(seat);
        expect(complaints).toEqual([]);
      } finally {
        await page.close();
        await site.close();
      }
    },
  );
});

async function dispatchTheDay({ page, site, ...seat }: Seat): Promise<void> {
  await page.goto(site.printed);
  await page.getByText('Nothing waits for you').waitFor();
  await page.getByRole('link', { name: 'Run a workflow' }).click();
  await page.getByRole('link', { name: 'ferrybot daily' }).click();
  await page.getByText('Run ferrybot daily').click();
  await page.getByRole('button', { name: 'Run workflow' }).click();
  await until(site.lab, 'the proposal', async () => (await now(site))?.gate?.digest != null, { stepMs: 5_000 });
  await page.getByRole('link', { name: 'Code' }).click();
  await page.getByText('A ferry waits for you, mira').waitFor();
  await look({ page, site, ...seat }, 'waits');
}

async function readTheProposal(seat: Seat): Promise<void> {
  const { page } = seat;
  await page.getByRole('link', { name: 'Open the proposal' }).click();
  await said(page, 'Ready for approval.').waitFor();
  await look(seat, 'proposal');
  await page.getByRole('link', { name: /^Files changed/ }).click();
  expect(await page.locator('.diff-added').first().textContent()).toContain('2.5e-3');
  await look(seat, 'change');
  await page.getByRole('link', { name: /^Checks/ }).click();
  await page.getByText('All 22 gates pass').first().waitFor();
  await look(seat, 'checks');
  await page.getByRole('link', { name: /^Conversation/ }).click();
}

/** As ada, because the last editor of the text may not approve. */
async function tickTheBox({ page, site }: Seat): Promise<void> {
  await speakAs(page, 'ada');
  const box = page.getByRole('checkbox', { name: 'optional/manual Discord update posted' });
  expect(await box.isChecked()).toBe(false);
  await box.check();
  await page.getByText('edited').first().waitFor();
  expect(await box.isChecked()).toBe(true);
  const pull = await site.lab.as('mira', 'GET', `/pulls/${(await now(site))?.proposal.pull}`);
  expect(Reflect.get(Object(pull), 'body')).toContain('- [x] optional/manual Discord update posted');
  await speakAs(page, 'mira');
  await site.lab.clock.advance(60_000);
}

/**
 * Tab to the command, Enter inserts it, Tab to the button, Enter: no mouse, and the focus is visible at each
 * step.
 */
async function approveByKeyboard(seat: Seat): Promise<void> {
  const { page, site } = seat;
  await page.reload();
  await tabTo(
    page,
    (element) => element.textContent?.trim() === '/approve-launch' && element.closest('.chips') !== null,
  );
  await page.keyboard.press('Enter');
  const box = page.getByLabel('Comment text');
  expect(await box.inputValue()).toBe(requireApprovalLine(site.lab));
  expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  await tabTo(page, (element) => element.textContent === 'Comment');
  await page.keyboard.press('Enter');
  await page
    .getByRole('paragraph')
    .filter({ hasText: /^\/approve-launch [0-9a-f]{32}$/ })
    .waitFor();
  await until(site.lab, 'the launch', async () => (await now(site))?.submission != null, { stepMs: 5_000 });
  // The card updates in place without a reload, and the panel no longer asks for an approval.
  await page
    .getByText(/approved manifest/)
    .first()
    .waitFor();
  await page.locator('.next').getByText('nothing; ferrybot is watching').waitFor();
  await look(seat, 'launched');
}

async function watchTheLaunch(seat: Seat): Promise<void> {
  const { page } = seat;
  await page.getByRole('link', { name: 'Actions' }).click();
  const title = page.getByRole('link', { name: /^ferrybot launch ferry-daily/ });
  // A long branch name once left this title no width.
  await title.waitFor();
  const widths = await page.locator('.list-text').evaluateAll((rows) => rows.map((row) => row.clientWidth));
  expect(Math.min(...widths)).toBeGreaterThan(200);
  await look(seat, 'actions');
  await title.click();
  await page.getByRole('article', { name: 'Job launch' }).getByText('Complete job').waitFor();
  await page
    .getByText(/^Run ferrybot\/ferrybot@/)
    .first()
    .click();
  // A skipped job has no log.
  expect(await page.getByRole('article', { name: 'Job record' }).getByRole('log').count()).toBe(0);
  await look(seat, 'run');
}

async function hearOfTheEval(seat: Seat): Promise<void> {
  const { page, site } = seat;
  const issue = (await now(site))?.proposal.issue;
  await page.getByRole('link', { name: 'Issues' }).click();
  await page.getByRole('link', { name: /^Experiment: Daily ferry/ }).click();
  await said(page, 'Launched:').waitFor();
  await site.lab.clock.advance(2 * 3_600_000);
  await said(page, 'First eval').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/lab/ferries/issues/${issue}`);
  await look(seat, 'eval');
  await until(site.lab, 'the end', async () => (await now(site))?.end != null, { stepMs: 60_000 });
  await said(page, 'has ended: SUCCEEDED').waitFor();
  await page.locator('.next').getByText('/seal by a person').waitFor();
}

async function sealAndMerge(seat: Seat): Promise<void> {
  const { page, site } = seat;
  await page.getByLabel('Comment text').fill('/seal');
  await page.keyboard.press('Control+Enter');
  await until(site.lab, 'the seal', async () => (await now(site))?.seal != null, { stepMs: 5_000 });
  await site.lab.clock.advance(60_000);
  const sealed = page.getByRole('article').filter({ hasText: /Sealed by mira/ });
  await sealed.waitFor();
  await look(seat, 'sealed');
  await sealed.getByRole('link', { name: /^#\d+/ }).first().click();
  await page.getByText('records a ferry that is sealed').waitFor();
  await page.getByRole('link', { name: /^Files changed/ }).click();
  await page.locator('.diff-added').first().waitFor();
  await look(seat, 'closure');
  await page.getByRole('link', { name: /^Conversation/ }).click();
  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await page.getByText('merged this into').waitFor();
  await page.getByRole('link', { name: 'Code' }).click();
  await page.getByText('Nothing waits for you').waitFor();
  await page.goto(new URL('/_playground/world', site.home).href);
  await page.getByText('chain and signatures hold').first().waitFor();
  // The bot's requests by token and in total must match what the bot's side counted.
  const costs = page.getByRole('region', { name: 'Cost by caller' }).locator('tbody tr');
  const rows = await costs.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const bots = rows.filter(([caller]) => /^(?:installation|workflow)/.test(caller ?? ''));
  const asked = bots.reduce((sum, [, rest, graphql]) => sum + Number(rest) + Number(graphql), 0);
  expect(asked).toBe(site.botRequests());
  expect(await page.locator('.world').textContent()).toContain(`bot: ${asked} requests`);
  await limitsAreTheApis(seat);
  await look(seat, 'world');
}

/** The page shows the same rate limit for the bot's token as GitHub's API, to the second. */
async function limitsAreTheApis({ page, site }: Seat): Promise<void> {
  const { world } = site.lab;
  const [token] = Object.entries(world.state.tokens).findLast(([, row]) => row.kind === 'installation') ?? [];
  const answer = await world.fetch(
    new Request(`${world.baseUrl}/api/v3/rate_limit`, { headers: { authorization: `Bearer ${token}` } }),
  );
  const { resources } = limitsAnswer.parse(await answer.json());
  const gauges = page.getByRole('region', { name: /^Limits of installation/ }).locator('.gauge');
  for (const [index, { used, limit, reset }] of [resources.core, resources.graphql].entries()) {
    const words = await gauges.nth(index).textContent();
    if (used === 0) expect(words).toContain('nothing in this hour');
    else {
      expect(words).toContain(`${used} of ${limit}`);
      expect(words).toContain(`resets ${new Date(reset * 1_000).toISOString().slice(11, 19)} UTC`);
    }
  }
  expect(resources.core.used).toBeGreaterThan(0);
}

const stand = z.object({ used: z.number(), limit: z.number(), reset: z.number() });
const limitsAnswer = z.object({ resources: z.object({ core: stand, graphql: stand }) });

/** State of today's run, from the logbook. */
function now(site: FerrySite): ReturnType<typeof readState> {
  return readState(site.lab, todaysRun(site.lab));
}

/** The rendered text of a comment; its source is in the edit box too. */
function said(page: Page, words: string): Locator {
  return page.locator('.timeline .markdown').getByText(words).first();
}

async function speakAs(page: Page, login: string): Promise<void> {
  await page.locator('.speaker > summary').click();
  await page.getByRole('button', { name: new RegExp(`^.?${login}`) }).click();
  await page.getByText(`Comment as ${login}`).waitFor();
}

/** Presses Tab until `found` is true for the focused element; the focus must be visible at each step. */
async function tabTo(page: Page, found: (element: Element) => boolean): Promise<void> {
  for (let step = 0; step < 100; step += 1) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return { name: element.outerHTML.slice(0, 80), isSeen: outlineStyle !== 'none' || boxShadow !== 'none' };
    });
    expect(outline).toMatchObject({ isSeen: true });
    if (await page.locator(':focus').evaluate(found)) return;
  }
  throw new Error('Tab does not lead there');
}

/** Checks that the page fits the window, and takes a screenshot. */
async function look({ page, width }: Seat, name: string): Promise<void> {
  // Before its styles are loaded, a page has another width.
  await page.waitForLoadState('load');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(`${name} ${overflow}`).toBe(`${name} 0`);
  await page.screenshot({ path: path.join(pictures, `ferry-${name}-${width}.png`) });
}
