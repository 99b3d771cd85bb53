/**
 * The page with difficult data: hostile texts, 300 files, failed runs, endless logs, a broken record. Checked by axe,
 * at both widths, without a script, and enlarged.
 */

import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, noChromium } from '../support/chromium.ts';
import { openRealSite, type RealSite } from './real-site.ts';
import { plantRoughLab, type RoughLab } from './rough-lab.ts';

/** A change of 5 MB is compared several times: this takes seconds on an idle machine. */
const PATIENCE_MS = 120_000;

let site: RealSite;
let lab: RoughLab;
beforeAll(async () => {
  site = await openRealSite();
  lab = await plantRoughLab(site);
}, PATIENCE_MS);
afterAll(() => site.close());

const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<[number, string]> => {
  const answer = await fetch(`${site.baseUrl}${path}`, { headers: { ...site.headers, ...headers } });
  return [answer.status, await answer.text()];
};
const runAt = (index: number): string => lab.runs[index] ?? 'nowhere';
const refuse = (route: string): void => {
  const fault = { kind: 'server-error', rate: 1, seed: 1, people: true, durationMs: 0 } as const;
  site.world.state.settings.faults = [{ ...fault, route }];
};

describe('a run', () => {
  it('shows each step’s log, the failed one open, and an overview of the jobs', async () => {
    const [, page] = await get(lab.failedRun);
    expect(page).toMatch(/aria-label="Jobs".*#job-7120.*build.*#job-7121.*#job-7122/s);
    expect(page).toMatch(/data-stage="completed failure" open>/);
    expect(page).toMatch(/data-stage="completed success" >/);
    expect(page).toContain('ValueError: the loss is not a number');
    expect(page).toContain('[U+202E]');
    expect(page).not.toMatch(/<script>window/);
  });

  it('with a hundred thousand lines shows the newest, and links to all of them as text', async () => {
    const [, page] = await get(runAt(2));
    expect(page).toContain('step 100000: loss');
    expect(page).toMatch(/45000 earlier lines are not shown|\d+ earlier lines are not shown/);
    expect(page.length).toBeLessThan(2_000_000);
    const logPath = /href="([^"]*\/log)"/.exec(page)?.[1] ?? '';
    const [status, text] = await get(logPath);
    expect([status, text.split('\n').length]).toEqual([200, 100_001]);
    expect((await fetch(`${site.baseUrl}${logPath}`, { headers: site.headers })).headers.get('content-type')).toBe(
      'text/plain; charset=utf-8',
    );
    expect((await get(logPath.replace(/job\/\d+/, 'job/1')))[0]).toBe(404);
  });

  it('that was re-run shows each attempt with its own jobs', async () => {
    const [, newest] = await get(runAt(5));
    expect(newest).toMatch(/aria-label="Attempts".*attempts\/1.*2 \(latest\)/s);
    expect(newest).toMatch(/id="job-7640"/);
    const [, first] = await get(`${runAt(5)}/attempts/1`);
    expect(first).toMatch(/id="job-7620"/);
    expect(first).not.toMatch(/id="job-7640"|Re-run all jobs/);
    expect((await get(`${runAt(5)}/attempts/3`))[0]).toBe(404);
  });

  it('shows a single job at its own address', async () => {
    const [, page] = await get(`${lab.failedRun}/job/7121`);
    expect(page.match(/<article class="card job"/g)).toHaveLength(1);
    expect((await get(`${lab.failedRun}/job/1`))[0]).toBe(404);
  });
});

describe('a change of 300 files', { timeout: PATIENCE_MS }, () => {
  it('is one page with a summary and an index, and links to what it omits', async () => {
    const [, page] = await get(`${lab.pull}/files`);
    expect(page).toContain('300 changed files');
    expect(page.match(/class="card diff"/g)).toHaveLength(300);
    expect(page).toMatch(/more lines are not shown\. <a href="\?file=huge\.txt">/);
    expect(page.length).toBeLessThan(2_000_000);
    const [, alone] = await get(`${lab.pull}/files?file=huge.txt`);
    expect(alone.match(/class="card diff"/g)).toHaveLength(1);
    expect(alone).toContain('>5000</td>');
  });
});

describe('unreadable data', () => {
  it('is reported with the API’s own status, and not as absent', async () => {
    refuse('GET /repos/lab/ferries');
    const [status, page] = await get('/lab/ferries/issues');
    refuse('GET /repos/lab/ferries/issues/*/comments');
    const [half, thread] = await get(lab.thread);
    const [look] = await get(lab.thread, { 'x-playground-earlier': '0' });
    site.world.state.settings.faults = [];
    expect(status).toBeGreaterThanOrEqual(500);
    expect(page).toContain('This could not be read.');
    expect(page).not.toContain('There is no such');
    expect(half).toBe(200);
    expect(thread).toMatch(/Not all of this page could be read.*GET \/repos\/lab\/ferries\/issues\/2\/comments/s);
    // An update that could read only a part leaves the page unchanged.
    expect(look).toBeGreaterThanOrEqual(500);
    expect((await get(lab.thread))[1]).not.toContain('Not all of this page');
  });

  it.each(['mira', 'ada', 'ravi', 'sol'])('is not reported for %s if everything was read', async (login) => {
    const headers = { cookie: `playground_speaker=${login}` };
    for (const path of [lab.thread, lab.pull, lab.failedRun, '/lab/ferries', '/lab/ferries/actions'])
      expect((await get(path, headers))[1]).not.toContain('Not all of this page');
  });
});

describe.skipIf(chromiumPath === null)('in a browser', { meta: { skipReason: noChromium } }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    breakTheWorld(site);
  });
  afterAll(() => browser.close());

  const screens = (): readonly string[] => [
    ...[lab.thread, lab.pull, `${lab.pull}/commits`, `${lab.pull}/checks`, lab.folder, lab.failedRun],
    ...[runAt(1), runAt(3), runAt(4), runAt(5), '/lab/ferries/actions', '/lab/ferries/issues', '/lab/ferries/pulls'],
    ...['/_playground/world', '/lab/nowhere'],
  ];

  it.each([
    { width: 360, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
    // 1,280 pixels enlarged to 200 %.
    { width: 640, colorScheme: 'light' },
  ] as const)(
    'has no axe violation, no script run and no overflow ($width, $colorScheme)',
    { timeout: PATIENCE_MS },
    async ({ width, colorScheme }) => {
      const page = await browser.newPage({
        extraHTTPHeaders: site.headers,
        viewport: { width, height: 900 },
        colorScheme,
      });
      const found: string[] = [];
      page.on('pageerror', (error) => found.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('404')) found.push(message.text());
      });
      for (const path of screens()) {
        await page.goto(`${site.baseUrl}${path}`);
        const problems = [...(width === 640 ? [] : await axeIn(page)), ...(await badIn(page))];
        for (const problem of problems) found.push(`${path}: ${problem}`);
      }
      expect(found).toEqual([]);
      await page.close();
    },
  );

  it('can be read and used without a script', async () => {
    const page = await browser.newPage({ extraHTTPHeaders: site.headers, javaScriptEnabled: false });
    await page.goto(`${site.baseUrl}${lab.pull}`);
    await page.getByLabel('Comment text').fill('said without a script');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.markdown').getByText('said without a script').waitFor();
    await page.goto(`${site.baseUrl}${lab.failedRun}`);
    await page.getByText('ValueError: the loss is not a number').first().waitFor();
    await page.close();
  });

  it('has no animation with reduced motion', async () => {
    const page = await browser.newPage({ extraHTTPHeaders: site.headers, reducedMotion: 'reduce' });
    await page.goto(`${site.baseUrl}${runAt(3)}`);
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
    await page.close();
  });

  it('works by keyboard: skip link, visible focus, Escape closes the menu, focus stays after a switch', async () => {
    const page = await browser.newPage({ extraHTTPHeaders: site.headers });
    await page.goto(`${site.baseUrl}/_playground/world`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').getAttribute('id')).toBe('main');
    await page.locator('.speaker > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.locator(':focus').evaluate((element) => element.tagName)).toBe('SUMMARY');
    expect(await page.locator('details.speaker[open]').count()).toBe(0);
    await page.getByRole('button', { name: /^Switch off/ }).press('Enter');
    await page.getByText('No fault is on.').waitFor();
    expect(await page.locator(':focus').count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    await page.close();
  });
});

/** A fault on an endless route, failed deliveries, and a caller over its limit. */
function breakTheWorld({ world }: RealSite): void {
  world.state.settings.faults = [
    { kind: 'slow', rate: 0.1, seed: 1, route: `GET /${'z'.repeat(200)}`, people: false, durationMs: 1_000 },
  ];
  for (const [id, status] of ['timed out', 'failed to connect to host'].entries())
    world.state.deliveries[id + 1] = {
      id: id + 1,
      guid: `0000-${'g'.repeat(60)}`,
      appId: 1,
      installationId: 1,
      repoId: 1,
      event: 'issue_comment',
      action: 'created',
      url: 'http://bot.test/hook',
      deliveredAtMs: world.clock.now(),
      durationMs: 10_000,
      redelivery: id === 1,
      status,
      statusCode: id === 0 ? 504 : 502,
      requestHeaders: {},
      requestBody: '{}',
      responseHeaders: {},
      responseBody: '',
    };
}

/** Violations of any impact. */
async function axeIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const judge: { run: (root: Document) => Promise<{ violations: Violation[] }> } = Reflect.get(window, 'axe');
    type Violation = { id: string; impact: string; nodes: { target: unknown[]; failureSummary: string }[] };
    const { violations } = await judge.run(document);
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.slice(0, 2).map((node) => `${impact} ${id} ${String(node.target[0])} ${node.failureSummary}`),
    );
  });
}

/** A page wider than its window, check text squeezed by a long name, a script that ran. */
async function badIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const sideways = document.documentElement.scrollWidth - window.innerWidth;
    const words = [...document.querySelectorAll('.check-said')].map((said) => said.clientWidth);
    return [
      ...(sideways > 0 ? [`scrolls sideways by ${sideways}`] : []),
      ...words.filter((width) => width < 200).map((width) => `a check's words are ${width} wide`),
      ...(Reflect.get(window, 'pwned') === undefined ? [] : ['a script ran']),
    ];
  });
}
