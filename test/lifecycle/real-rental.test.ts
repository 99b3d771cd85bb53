/**
 * `npm start -- --lane rental`: from `/rent` to the verified destruction of every machine, with real
 * training, git, runner and bundle.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordedEvents } from '../support/run-record.ts';
import { startProcess } from '../support/start-process.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-rental-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('a rental restarts with a smaller batch, moves to another machine, and tears every machine down', {
  // Two minutes on a quiet machine, several times that on a busy one.
  timeout: 800_000,
}, async () => {
  const { code, answer } = await startProcess(folder, '--lane', 'rental').ended;
  expect(answer).toMatchObject({ ok: true, reason: null });
  expect(code).toBe(0);
  const run = answer?.runs[0]?.run ?? '';
  const events = await recordedEvents(join(folder, 'logbook'), run);
  const all = (type: string) => events.flatMap((event) => (event.type === type ? [event.data] : []));
  expect(all('submitted').map(({ command }) => (command as readonly string[]).slice(-1))).toEqual([
    ['32'],
    ['16'],
    ['16'],
  ]);
  expect(all('ended').map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SUCCEEDED']);
  expect(
    all('incident').filter(({ code: one, detail }) => one === 'rung-taken' && /"reduce"/.test(JSON.stringify(detail))),
  ).toHaveLength(1);
  const machines = all('ended').map(
    ({ engineDetails }) => (engineDetails as Readonly<Record<string, string>>)['machine'],
  );
  expect(machines[2]).not.toBe(machines[1]);
  const begun = all('tear-down-begun').map(({ instance }) => instance);
  expect(begun).toHaveLength(3);
  expect(
    all('tear-down-ended')
      .map(({ instance }) => instance)
      .toSorted(),
  ).toEqual(begun.toSorted());
  expect(Number(all('tear-down-ended')[0]?.['microdollars'])).toBeGreaterThan(0);
  expect(all('sealed')[0]).toMatchObject({ verdict: 'pass' });
});
