/** Vast.ai's own client with the simulated Vast.ai: it finds an offer, rents, lists, reads the log and destroys. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, TOOLS } from '../support/outside-tools.ts';
import { openVastLab, type VastLab } from '../support/vast-market.ts';

describeWith('vastai', 'the official client', () => {
  let lab: VastLab;
  let home: string;
  beforeEach(async () => {
    lab = await openVastLab();
    home = await mkdtemp(join(tmpdir(), 'ferrybot-vastai-'));
  });
  afterEach(async () => {
    await lab.end();
    await rm(home, { recursive: true, force: true });
  });

  const vastai = async (
    verb: string,
    subject: string,
    ...args: readonly string[]
  ): Promise<{ out: string; err: string; code: number }> => {
    // These come first, because `--args` takes everything after it.
    const where = ['--url', lab.vast.url, '--api-key', lab.vast.key];
    const { stdout, stderr, exitCode } = await execa(TOOLS.vastai, [verb, subject, ...where, ...args], {
      extendEnv: false,
      env: { HOME: home, PATH: '/usr/bin:/bin', VASTAI_NO_UPDATE_CHECK: '1' },
      reject: false,
      input: '',
      timeout: 120_000,
    });
    return { out: stdout, err: stderr, code: exitCode ?? -1 };
  };

  it('finds an offer, rents, lists, reads the log and destroys', async () => {
    const query = 'gpu_name=RTX_4090 num_gpus=1 reliability>0.98 cpu_ram>=32';
    const offers = JSON.parse((await vastai('search', 'offers', query, '-o', 'dph_total', '--raw')).out);
    expect(offers.map(({ id }: { id: number }) => id)).toEqual([103, 106, 104]);

    const rent = ['--image', 'pytorch/pytorch', '--disk', '30', '--label', 'ferrybot:x', '--cancel-unavail'];
    const job = ['--entrypoint', 'bash', '--args', '-c', 'echo up; sleep 1000'];
    const made = await vastai('create', 'instance', '103', '--raw', ...rent, ...job);
    const id: number = JSON.parse(made.out).new_contract;
    await lab.until(id, 'running');

    const [row] = JSON.parse((await vastai('show', 'instances', '--raw')).out);
    expect(row).toMatchObject({ id, label: 'ferrybot:x', actual_status: 'running', num_gpus: 1 });
    const log = async (): Promise<string> => (await vastai('logs', String(id), '--tail', '50')).out;
    await expect.poll(log).toMatch(/^up$/m);
    expect(JSON.parse((await vastai('show', 'user', '--raw')).out).credit).toBeGreaterThan(99);

    expect(await vastai('destroy', 'instance', String(id))).toMatchObject({ code: 0 });
    expect(lab.vast.account.find(id)).not.toBeNull();
    expect((await vastai('destroy', 'instance', String(id), '-y')).out).toContain(`destroying instance ${id}`);
    lab.clock.advance(5_000);
    expect(JSON.parse((await vastai('show', 'instances', '--raw')).out)).toEqual([]);
  });

  it('exits with 0 even for errors, so its exit code cannot be trusted', async () => {
    const missing = await vastai('destroy', 'instance', '404', '-y', '--raw');
    expect(missing.code).toBe(0);
    expect(JSON.parse(missing.err)).toMatchObject({ status_code: 404, msg: 'Instance 404 not found.' });
    lab.vast.faults.arm({ kind: 'too-many', route: 'GET /api/v0/users/*', times: 5 });
    const often = await vastai('show', 'user', '--raw');
    expect([often.code, JSON.parse(often.err).status_code]).toEqual([0, 429]);
    lab.vast.faults.arm({ kind: 'deprecated', route: 'GET /api/v1/*', times: 5 });
    // The client treats a retired list as *no instances*; other clients would rent machines again and again.
    expect(await vastai('show', 'instances', '--raw')).toMatchObject({ code: 0, out: '[]' });
  });
});
