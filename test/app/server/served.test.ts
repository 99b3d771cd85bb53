/** The real server on a playground: its pages for an operator, what it saves between restarts, and two replicas of it. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { suspend } from '../../../packages/playground/webhooks/installations.ts';
import { readMarker } from '../../../src/domain/marker.ts';
import { openServedLab, SECRET, type ServedLab } from './served-lab.ts';

let lab: ServedLab | null = null;
afterEach(async () => {
  await lab?.close();
  lab = null;
});

const soon = { timeout: 120_000, interval: 50 };
const page = async ({ hookUrl }: ServedLab, path: string, server = 0): Promise<Response> =>
  fetch(new URL(path, hookUrl(server)));
/** The value of a metric; null if it is not there. */
const metric = async (of: ServedLab, line: string, server = 0): Promise<number | null> => {
  const text = await (await page(of, '/metrics', server)).text();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length));
};
const unchanged = async (of: ServedLab): Promise<number> =>
  (await metric(of, 'ferrybot_github_requests_total{result="unchanged"}')) ?? 0;
const paid = ({ world }: ServedLab): number => Object.values(world.state.usage).reduce((sum, one) => sum + one.rest, 0);
const idle = async (of: ServedLab): Promise<void> =>
  expect.poll(() => metric(of, 'ferrybot_workers_busy'), soon).toBe(0);
const swept = async (of: ServedLab): Promise<void> =>
  expect.poll(() => metric(of, 'ferrybot_last_sweep_timestamp_seconds'), soon).toBeGreaterThan(0);

describe('the pages of the server', () => {
  it('show health and metrics without a name of a repository and without a secret', async () => {
    lab = await openServedLab({ sweepMs: 600_000 });
    const issue = await lab.askForHelp();
    await expect.poll(() => lab?.answers(issue).length, soon).toBe(1);
    await swept(lab);
    await idle(lab);
    const health = await page(lab, '/health');
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: 'ok', lastSweep: expect.stringMatching(/^20.*Z$/) });
    const metrics = await page(lab, '/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await metrics.text();
    for (const hidden of ['lab/', 'ferries', SECRET, 'ghs_', 'PRIVATE KEY', 'ada']) expect(text).not.toContain(hidden);
    expect(await metric(lab, 'ferrybot_repositories_open')).toBe(1);
    expect(await metric(lab, 'ferrybot_live_runs')).toBe(0);
    expect(await metric(lab, 'ferrybot_queue_length')).toBe(0);
    expect(await metric(lab, 'ferrybot_webhook_deliveries_total{result="accepted"}')).toBeGreaterThan(1);
    expect(await metric(lab, 'ferrybot_github_requests_total{result="answered"}')).toBeGreaterThan(5);
    expect(await metric(lab, 'ferrybot_github_rate_limit_remaining{resource="core"}')).toBeGreaterThan(100);
    expect(await metric(lab, 'ferrybot_batch_seconds_count{result="handled"}')).toBeGreaterThan(0);
    expect((await page(lab, '/health?x')).status).toBe(200);
    expect((await page(lab, '/metrics/')).status).toBe(404);
    expect((await page(lab, '/toString')).status).toBe(404);
  });

  it('report a sweep that is overdue', async () => {
    lab = await openServedLab({ sweepMs: 500 });
    suspend(lab.world, lab.installationId, 1001);
    await expect.poll(async () => (lab === null ? 0 : (await page(lab, '/health')).status), soon).toBe(503);
    expect(await (await page(lab, '/health')).json()).toMatchObject({ status: 'sweep-overdue' });
  });
});

describe('a delivery', () => {
  it('that GitHub repeats after it was handled costs no request', async () => {
    lab = await openServedLab({ sweepMs: 600_000 });
    await swept(lab);
    const issue = await lab.askForHelp();
    await expect.poll(() => lab?.answers(issue).length, soon).toBe(1);
    await idle(lab);
    const [first] = lab.deliveries('issue_comment');
    const before = paid(lab);
    const again = { method: 'POST', headers: first?.requestHeaders ?? {}, body: first?.requestBody ?? '' };
    expect((await fetch(lab.hookUrl(), again)).status).toBe(200);
    expect(await metric(lab, 'ferrybot_webhook_deliveries_total{result="repeated"}')).toBe(1);
    expect(await metric(lab, 'ferrybot_workers_busy')).toBe(0);
    expect(paid(lab)).toBe(before);
    // The id counts only with a signature.
    const forged = { ...again, body: `${again.body} ` };
    expect((await fetch(lab.hookUrl(), forged)).status).toBe(400);
    expect(await metric(lab, 'ferrybot_webhook_deliveries_total{result="refused"}')).toBe(1);
  });
});

describe('a repository without a config', () => {
  it('is not cloned, costs one request until the next push, and is served after its config arrives', async () => {
    lab = await openServedLab({ sweepMs: 600_000, isConfigured: false });
    const mirror = join(lab.workDirectory(), 'lab--ferries');
    const heard = async (comments: number): Promise<void> => {
      const codes = () => lab?.deliveries('issue_comment').filter(({ statusCode }) => statusCode === 200);
      await expect.poll(() => codes()?.length, soon).toBe(comments);
      await idle(lab as ServedLab);
    };
    await swept(lab);
    lab.sleepFor(120_000);
    await lab.askForHelp();
    await heard(1);
    const looked = (): Promise<number | null> =>
      metric(lab as ServedLab, 'ferrybot_github_requests_total{result="refused"}');
    const before = await looked();
    const next = await lab.askForHelp();
    await heard(2);
    expect(await looked()).toBe(before);
    expect(existsSync(mirror)).toBe(false);
    expect(await metric(lab, 'ferrybot_repositories_open')).toBe(0);

    // A restart knows it too.
    await lab.restart(SECRET);
    await swept(lab);
    expect(await looked()).toBeNull();

    const config = await readFile(join(import.meta.dirname, '../../../fixtures/lab/.github/ferrybot.yml'));
    await lab.api('PUT', '/contents/.github/ferrybot.yml', {
      message: 'Add the config',
      content: config.toString('base64'),
      branch: 'main',
    });
    await lab.api('POST', `/issues/${next}/comments`, { body: '/help' });
    await expect.poll(() => lab?.answers(next).length, soon).toBeGreaterThan(0);
    expect(existsSync(mirror)).toBe(true);
  });
});

describe('a restart', () => {
  it.each([
    ['asks GitHub for changes only', async () => undefined, true],
    ['asks for everything after the saved state was deleted', (file: string) => rm(file), false],
    [
      'asks for everything after the saved state was damaged',
      (file: string) => writeFile(file, 'x'.repeat(9_000)),
      false,
    ],
  ])('%s, and answers what was asked meanwhile', async (_, damage, isSaved) => {
    lab = await openServedLab({ sweepMs: 500 });
    const issue = await lab.askForHelp();
    await expect.poll(() => lab?.answers(issue).length, soon).toBe(1);
    await expect.poll(() => lab !== null && unchanged(lab), soon).toBeGreaterThan(5);
    await lab.stop();
    await damage(join(lab.workDirectory(), 'state.sqlite'));
    await lab.restart(SECRET, 600_000);
    await swept(lab);
    expect((await unchanged(lab)) > 0).toBe(isSaved);
    await lab.stop();
    const asked = await lab.askForHelp();
    await lab.restart(SECRET, 600_000);
    await expect.poll(() => lab?.answers(asked).length, soon).toBe(1);
    expect(lab.answers(issue)).toHaveLength(1);
  });
});

describe('two servers of one repository', () => {
  it('answer every command once, because only one append of a command succeeds', async () => {
    lab = await openServedLab({ sweepMs: 1_000, servers: 2 });
    const issue = await lab.askForHelp();
    const commands: number[] = [];
    for (const body of ['/hold lane=daily reason="two"', '/unhold lane=daily', '/help hold', '/status'])
      commands.push((await lab.api('POST', `/issues/${issue}/comments`, { body })).id);
    const events = async (): Promise<readonly Record<string, unknown>[]> => {
      const args = ['--git-dir', lab?.remote ?? '', 'show', 'ferrybot/logbook:journal/events.jsonl'];
      const shown = await promisify(execFile)('git', args).catch(() => ({ stdout: '' }));
      return shown.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    };
    const answered = async (): Promise<number> =>
      (await events()).filter(({ type }) => type === 'command-answered').length;
    await expect.poll(answered, soon).toBe(commands.length + 1);
    await new Promise((done) => setTimeout(done, 3_000));
    const journal = await events();
    expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index));
    const of = (kind: string) => journal.filter(({ type }) => type === kind).map(({ data }) => Object(data).comment);
    expect(of('command-seen').toSorted()).toEqual([...new Set(of('command-seen'))].toSorted());
    expect(journal.filter(({ type }) => type === 'held')).toHaveLength(1);
    expect(journal.filter(({ type }) => type === 'released')).toHaveLength(1);
    const bot = Object.values(lab.world.state.comments).filter(({ viaAppId }) => viaAppId === lab?.appId);
    const posts = bot.map(({ body }) => `${readMarker(body)?.kind} ${readMarker(body)?.key}`);
    expect(posts.toSorted()).toEqual([...new Set(posts)].toSorted());
    expect(posts.filter((post) => post.startsWith('answer '))).toHaveLength(commands.length + 1);
    for (const server of [0, 1])
      expect(await metric(lab, 'ferrybot_batch_seconds_count{result="handled"}', server)).toBeGreaterThan(0);
    expect(lab.log.filter((line) => line.includes('a trigger failed'))).toEqual([]);
  });
});
