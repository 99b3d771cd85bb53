/** `ferrybot playground` on a lab's own checkout: its pages, the config check, and answered commands. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath, noChromium } from '../../packages/playground/test/support/chromium.ts';
import {
  CONFIG,
  commitAll,
  createCheckout,
  edit,
  expectRefused,
  fingerprint,
  git,
  type OwnPlayground,
  openOwnPlayground,
} from './own-checkout.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function checkout(change: (folder: string) => Promise<void> = async () => undefined): Promise<string> {
  const folder = await createCheckout(change);
  folders.push(folder);
  return folder;
}

const text = async (own: OwnPlayground, path = ''): Promise<string> => (await own.open(path)).text();

describe.skipIf(chromiumPath === null)('in a browser', { meta: { skipReason: noChromium } }, () => {
  it('mira runs the daily workflow, gets an answer from the bot, and her checkout is unchanged', async () => {
    const lab = await checkout();
    await git(lab, 'branch', 'somebody/elses');
    await git(lab, 'remote', 'add', 'origin', 'git@github.com:Deep-Lab/ferries.two.git');
    const before = await fingerprint(lab);
    const own = await openOwnPlayground(lab);
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    try {
      expect(own).toMatchObject({ repository: 'Deep-Lab/ferries.two', branch: 'main', uncommitted: 0 });
      expect(own.config).toEqual({ state: 'valid', problems: [] });
      const page = await browser.newPage();
      await page.goto(own.page);
      await page.getByRole('link', { name: 'Run a workflow' }).click();
      await page.getByRole('link', { name: 'ferrybot daily' }).click();
      await page.getByText('Run ferrybot daily').click();
      await page.getByRole('button', { name: 'Run workflow' }).click();
      await page.getByRole('link', { name: 'Pull requests' }).click();
      const proposal = page.getByRole('link', { name: /^Daily ferry/ });
      await proposal.click({ timeout: 120_000 });
      await ask(page, '/status');
      await page.locator('.timeline').getByText('🤖', { exact: false }).first().waitFor({ timeout: 120_000 });
      await speakAs(page, 'sol');
      await ask(page, '/approve-launch');
      const answers = page.locator('article.said', { hasText: '🤖' });
      await answers
        .filter({ hasText: /\bsol\b/ })
        .first()
        .waitFor({ timeout: 120_000 });
      expect(await text(own, '/tree/somebody/elses')).toContain('README.md');
    } finally {
      await browser.close();
      expect(await own.end()).toBe(0);
    }
    expect(await fingerprint(lab)).toBe(before);
  });
});

async function ask(page: Page, words: string): Promise<void> {
  await page.getByLabel('Comment text').fill(words);
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
}

async function speakAs(page: Page, login: string): Promise<void> {
  await page.locator('.speaker > summary').click();
  await page.getByRole('button', { name: new RegExp(`^.?${login}`) }).click();
}

describe('a config', () => {
  it('with an error is shown with line and column, and a commit with the fix is enough', async () => {
    const lab = await checkout((folder) => edit(folder, CONFIG, 'quorum: 1', 'quorum: many'));
    const lines = (await git(lab, 'show', `HEAD:${CONFIG}`)).split('\n');
    const line = lines.findIndex((one) => one.includes('quorum: many')) + 1;
    const own = await openOwnPlayground(lab);
    try {
      expect(own.config.state).toBe('invalid');
      expect(own.config.problems).toMatchObject([{ line, column: 3, path: 'approvals.quorum' }]);
      expect(await text(own)).toContain(`${CONFIG}:${line}:3`);
      const file = (await own.call('ada', 'GET', `/contents/${CONFIG}`)) as { sha: string; content: string };
      const mended = Buffer.from(file.content, 'base64').toString('utf8').replace('quorum: many', 'quorum: 1');
      const content = Buffer.from(mended).toString('base64');
      await own.call('ada', 'PUT', `/contents/${CONFIG}`, { message: 'Mend', content, sha: file.sha });
      expect(await text(own)).not.toContain('config-problems');
    } finally {
      await own.end();
    }
  });

  it('that is missing can be added from the example by a user with write access, but not by a reader', async () => {
    const lab = await checkout((folder) => rm(join(folder, '.github'), { recursive: true }));
    const own = await openOwnPlayground(lab);
    const add = async (login: string): Promise<number> => {
      const headers = { cookie: `playground_speaker=${login}` };
      return (await own.open('/example', { method: 'POST', headers, redirect: 'manual' })).status;
    };
    try {
      expect(own.config.state).toBe('missing');
      expect(await text(own)).toContain('Add the example</button>');
      expect(await add('ravi')).toBeGreaterThanOrEqual(400);
      expect(await add('ada')).toBe(303);
      const page = await text(own);
      expect(page).not.toContain('Add the example</button>');
      expect(page).not.toContain('config-problems');
      expect(await text(own, '/actions')).toContain('ferrybot daily');
    } finally {
      await own.end();
    }
  });

  it('of the given branch is used, and a kept rehearsal continues where it stopped', async () => {
    const lab = await checkout();
    await git(lab, 'checkout', '-qb', 'strict');
    await edit(lab, CONFIG, 'shownForMs: 0', 'shownForMs: 5000');
    await commitAll(lab, 'Read before you approve');
    await edit(lab, CONFIG, 'shownForMs: 5000', 'shownForMs: 7000');
    await git(lab, 'checkout', '-q', '--detach');
    const keep = await mkdtemp(join(tmpdir(), 'own-kept-'));
    folders.push(keep);
    expect(await expectRefused(lab, '--json')).toMatchObject({ code: 1, out: expect.stringContaining('no-branch') });
    const own = await openOwnPlayground(lab, '--branch', 'strict', '--keep', keep);
    expect(own).toMatchObject({ branch: 'strict', uncommitted: 1 });
    expect(await text(own, `/blob/strict/${CONFIG}`)).toContain('shownForMs: 5000');
    await own.call('mira', 'POST', '/issues', { title: 'Remember me' });
    await own.end();
    const again = await openOwnPlayground(lab, '--branch', 'strict', '--keep', keep);
    expect(await text(again, '/issues')).toContain('Remember me');
    await again.end();
  });
});

describe('a lab that cannot be served', () => {
  it('is reported as one JSON value with an error code', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'own-empty-'));
    folders.push(empty);
    const said = async (...options: readonly string[]): Promise<unknown> => {
      const { code, out } = await expectRefused(empty, ...options, '--json');
      return [code, Reflect.get(Object(Reflect.get(Object(JSON.parse(out)), 'error')), 'code')];
    };
    expect(await said()).toEqual([1, 'no-repository']);
    expect(await said('--repo', 'nowhere')).toEqual([1, 'no-folder']);
    await git(empty, 'init', '--quiet');
    expect(await said()).toEqual([1, 'no-commit']);
    expect(await said('--port', 'x')).toEqual([2, 'usage']);
    expect(await said('--reop', '.')).toEqual([2, 'usage']);
  });
});
