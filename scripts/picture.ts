/** `node scripts/picture.ts` makes the README's picture: a real lab, a real ferry, and the page as a person has it before them. */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { chromium, type Locator, type Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'docs/pictures/ferry-1280.png');
const WIDTH_PIXELS = 1_280;
const HEIGHT_PIXELS = 1_500;
/** Proposal, launch and the job itself, on a machine that has other work. */
const STAGE_TIMEOUT_MS = 180_000;
/** Long enough for a curve. */
const TRAINING_MS = 12_000;
const RELOAD_MS = 1_000;

const lab = execa(process.execPath, [join(ROOT, 'demo/main.ts'), '--port', '0'], { stderr: 'inherit', buffer: false });
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? (await execa('which', ['chromium'])).stdout,
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({
    viewport: { width: WIDTH_PIXELS, height: HEIGHT_PIXELS },
    colorScheme: 'light',
  });
  page.setDefaultTimeout(STAGE_TIMEOUT_MS);
  // The printed address signs the browser in.
  await page.goto(await address());
  await page.goto(`${page.url()}/pulls`);
  await approve(page);
  await chart(page);
  await page.waitForTimeout(TRAINING_MS);
  await page.reload();
  await chart(page);
  await page.addStyleTag({ content: '.world { position: static }' });
  // The card and what stands around it: a whole thread is longer than anybody looks at in a README.
  await page
    .getByRole('img', { name: /^Chart/ })
    .first()
    .evaluate((chart) => chart.closest('article, li')?.scrollIntoView());
  await page.screenshot({ path: FILE });
  console.log(FILE);
} finally {
  await browser.close();
  lab.kill('SIGINT');
  await lab;
}

async function chart(page: Page): Promise<void> {
  await page
    .getByRole('img', { name: /^Chart/ })
    .first()
    .locator('svg path')
    .first()
    .waitFor();
}

/** The address that the start prints. */
async function address(): Promise<string> {
  for await (const line of createInterface({ input: lab.stdout })) {
    const found = /^the lab: +(\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the start said no address');
}

/** Opens the proposal, reads until its gates are green, approves. */
async function approve(page: Page): Promise<void> {
  const proposal = page.getByRole('link', { name: /^Daily ferry/ }).first();
  await shown(page, proposal);
  await proposal.click();
  await shown(page, page.getByText('Ready for approval').first());
  // The chip writes the line of the card into the box.
  await page.locator('.chips').getByText('/approve-launch').click();
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
}

/** Loads the page anew until something is on it. */
async function shown(page: Page, what: Locator): Promise<void> {
  for (const until = Date.now() + STAGE_TIMEOUT_MS; !(await what.isVisible()); await page.reload()) {
    if (Date.now() > until) throw new Error(`not shown at ${page.url()}: ${String(what)}`);
    await page.waitForTimeout(RELOAD_MS);
  }
}
