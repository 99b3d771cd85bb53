/**
 * The real server while an organisation suspends the App, grants permissions and rotates its secret. Takes
 * seconds of real time.
 */

import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { setWebhook } from '../../../packages/playground/webhooks/hook.ts';
import { acceptPermissions, suspend, unsuspend } from '../../../packages/playground/webhooks/installations.ts';
import { GRANTED, openServedLab, SECRET, type ServedLab } from './served-lab.ts';

let lab: ServedLab | null = null;
afterEach(async () => {
  await lab?.close();
  lab = null;
});

const soon = { timeout: 120_000, interval: 50 };
/** Long enough for an unwanted sweep to happen. */
const quiet = (durationMs: number): Promise<void> => new Promise((done) => setTimeout(done, durationMs));
const requests = ({ world }: ServedLab): number =>
  Object.values(world.state.usage).reduce((sum, one) => sum + one.rest + one.graphql, 0);

describe('the server', () => {
  it('answers the ping, ignores a suspended lab, and answers as soon as the suspension ends', async () => {
    // The webhook must trigger the answer, not the sweep.
    lab = await openServedLab({ sweepMs: 600_000 });
    const { world, installationId } = lab;
    await expect.poll(() => lab?.deliveries('ping').map(({ statusCode }) => statusCode), soon).toEqual([200]);
    const heard = await lab.askForHelp();
    await expect.poll(() => lab?.answers(heard).length, soon).toBe(1);

    suspend(world, installationId, 1001);
    await expect.poll(() => lab?.deliveries('installation').map(({ statusCode }) => statusCode), soon).toEqual([200]);
    const unheard = await lab.askForHelp();
    await quiet(500);
    const before = requests(lab);
    await quiet(500);
    expect(requests(lab)).toBe(before);
    expect(lab.answers(unheard)).toEqual([]);
    expect(lab.log.filter((line) => line.includes('it is left alone'))).toHaveLength(1);

    unsuspend(world, installationId, 1001);
    await expect.poll(() => lab?.answers(unheard).length, soon).toBe(1);
    await quiet(300);
    expect(lab.answers(unheard)).toHaveLength(1);
    expect(lab.answers(heard)).toHaveLength(1);
  });

  it('uses a permission from the moment it is granted, not from the next token', async () => {
    lab = await openServedLab({ sweepMs: 600_000, permissions: { ...GRANTED, issues: 'read', pull_requests: 'read' } });
    const number = await lab.askForHelp();
    // The answer is recorded and refused; that must not delay the post once it is permitted.
    await expect.poll(() => lab?.log.join(), soon).toContain('post-comment: refused');
    expect(lab.answers(number)).toEqual([]);
    acceptPermissions(lab.world, lab.installationId, 1001, GRANTED);
    await expect.poll(() => lab?.answers(number).length, soon).toBe(1);
  });

  it('uses no token from before its machine slept with a stopped clock', async () => {
    lab = await openServedLab({ sweepMs: 600_000 });
    const heard = await lab.askForHelp();
    await expect.poll(() => lab?.answers(heard).length, soon).toBe(1);
    lab.sleepFor(2 * 60 * 60_000);
    const next = await lab.askForHelp();
    await expect.poll(() => lab?.answers(next).length, { ...soon, timeout: 30_000 }).toBe(1);
  });

  it('rejects a delivery signed with the old secret, and misses no command meanwhile', async () => {
    lab = await openServedLab({ sweepMs: 700 });
    const { world, appId } = lab;
    await expect.poll(() => lab?.deliveries('ping').length, soon).toBe(1);
    setWebhook(world, appId, { secret: 'the second webhook secret' });
    const between = await lab.askForHelp();
    await expect.poll(() => lab?.deliveries('issue_comment')[0]?.statusCode, soon).toBe(400);
    // The sweep processes what the rejected webhook announced.
    await expect.poll(() => lab?.answers(between).length, soon).toBe(1);

    await lab.restart('the second webhook secret');
    const after = await lab.askForHelp();
    await expect.poll(() => lab?.answers(after).length, soon).toBe(1);
    await expect.poll(() => lab?.deliveries('issue_comment').at(-1)?.statusCode, soon).toBe(200);

    const [old] = lab.deliveries('issue_comment');
    const replay = await fetch(lab.hookUrl(), {
      method: 'POST',
      headers: {
        ...old?.requestHeaders,
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET)
          .update(old?.requestBody ?? '')
          .digest('hex')}`,
      },
      body: old?.requestBody ?? '',
    });
    expect(replay.status).toBe(400);
  });
});
