/** A real `ferrybot serve` process that is stopped with a signal while it works: it ends in time, and nothing is lost. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { setWebhook } from '../../../packages/playground/webhooks/hook.ts';
import { openServedLab, SECRET, type ServedLab } from './served-lab.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/ferrybot.js');
const soon = { timeout: 120_000, interval: 20 };

let lab: ServedLab | null = null;
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  await lab?.close();
  lab = null;
});

type Server = {
  readonly url: string;
  readonly log: string[];
  readonly stop: () => Promise<{ readonly code: number | null; readonly ms: number }>;
};

async function started(of: ServedLab, more: Readonly<Record<string, string>> = {}): Promise<Server> {
  await mkdir(of.workDirectory(), { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      ...of.environment,
      WEBHOOK_SECRET: SECRET,
      FERRYBOT_WORK_DIR: of.workDirectory(),
      FERRYBOT_SWEEP_MS: '600000',
      ...more,
    },
  });
  children.push(child);
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = line.replace('listening on ', '');
  setWebhook(of.world, of.appId, { url: `${url}/api/github/webhooks`, secret: SECRET });
  return {
    url,
    log,
    stop: async () => {
      const since = performance.now();
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      return { code, ms: performance.now() - since };
    },
  };
}

const answersOf = (issues: readonly number[]): readonly number[] =>
  issues.map((issue) => lab?.answers(issue).length ?? 0);
/** Resolves while the server handles a batch. */
const busy = async ({ url }: Server): Promise<void> => {
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics, { timeout: 60_000, interval: 5 }).toMatch(/^ferrybot_workers_busy 1$/m);
};

describe('a server that gets SIGTERM', () => {
  it('finishes the running batch, refuses new connections, and leaves the rest to the next start', async () => {
    lab = await openServedLab({ sweepMs: 600_000, servers: 0 });
    const first = await started(lab);
    const issues = [await lab.askForHelp()];
    await busy(first);
    issues.push(await lab.askForHelp(), await lab.askForHelp());
    const { code, ms } = await first.stop();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(25_000);
    expect(first.log.filter((line) => line.includes('stopped before'))).toEqual([]);
    await expect(fetch(`${first.url}/health`)).rejects.toThrow();

    const second = await started(lab);
    await expect.poll(() => answersOf(issues), soon).toEqual([1, 1, 1]);
    await second.stop();
    expect(answersOf(issues)).toEqual([1, 1, 1]);
  });

  it('gives the running batch up after its time, and answers everything once after the next start', async () => {
    lab = await openServedLab({ sweepMs: 600_000, servers: 0 });
    const first = await started(lab, { FERRYBOT_STOP_MS: '0' });
    const issues = [await lab.askForHelp(), await lab.askForHelp()];
    await busy(first);
    const { code, ms } = await first.stop();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5_000);
    expect(first.log.join('\n')).toContain('stopped before 1 batches ended');

    const second = await started(lab);
    await expect.poll(() => answersOf(issues), soon).toEqual([1, 1]);
    expect((await second.stop()).code).toBe(0);
    expect(answersOf(issues)).toEqual([1, 1]);
  });

  it('refuses to share its work directory with a second server', async () => {
    lab = await openServedLab({ sweepMs: 600_000, servers: 0 });
    await started(lab);
    const second = spawn(process.execPath, [PROGRAM, 'serve'], {
      env: {
        ...lab.environment,
        WEBHOOK_SECRET: SECRET,
        FERRYBOT_WORK_DIR: lab.workDirectory(),
        FERRYBOT_STOP_MS: '0',
      },
    });
    children.push(second);
    const log: string[] = [];
    second.stderr.on('data', (chunk) => log.push(String(chunk)));
    const [code] = (await once(second, 'exit')) as [number | null];
    expect(code).not.toBe(0);
    expect(log.join('')).toContain('each server needs its own directory');
  });
});
