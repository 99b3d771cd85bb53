/**
 * `npm start -- --lane hero`: a hero run from the form to the seal with real training, checkpoints, git,
 * runner and bundle.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { recordedEvents } from '../support/run-record.ts';
import { startProcess } from '../support/start-process.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('a hero run resumes after a preemption, is rolled back by people after a loss spike, and is sealed', {
  // Two and a half minutes on a quiet machine, several times that on a busy one.
  timeout: 1_000_000,
}, async () => {
  // Each attempt of the test needs a new folder, because a completed lab would not start again.
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-hero-'));
  folders.push(folder);
  const { code, answer } = await startProcess(folder, '--lane', 'hero').ended;
  expect(answer).toMatchObject({ ok: true, reason: null });
  expect(code).toBe(0);
  // The ferry of the day is proposed too if the time of day matches.
  const run = 'small-hero';
  expect(answer?.runs.map((one) => one.run)).toContain(run);
  const events = await recordedEvents(join(folder, 'logbook'), run);
  const all = (type: string) => events.flatMap((event) => (event.type === type ? [event.data] : []));
  const at = (step: number): string => join(folder, `outputs/small-hero/checkpoints/step-${step}`);
  const begun = all('submitted').map(({ command }) => (command as readonly string[]).at(-1));
  expect(begun).toEqual(['1200', `--initialize-from=${at(500)}`, `--initialize-from=${at(600)}`]);
  expect(all('ended').map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SUCCEEDED']);
  // Two approvals for each of the two manifests, none for the automatic restart.
  expect(all('approved').map(({ attempt }) => attempt)).toHaveLength(4);
  expect(new Set(all('approved').map(({ digest }) => digest)).size).toBe(2);
  const alarmsIn = (some: typeof events) =>
    some.flatMap(({ type, data }) =>
      type === 'incident' && data['code'] === 'run-alarm'
        ? [(data['detail'] as Readonly<Record<string, unknown>>)['detector']]
        : [],
    );
  const last = events.findLastIndex(({ type }) => type === 'submitted');
  // A second regression alarm is possible if two evals are seen before the stop.
  const [first, ...others] = alarmsIn(events.slice(0, last));
  expect([first, ...others.filter((one) => one !== 'regression')]).toEqual(['loss-spike']);
  // The repeated steps raise no alarm: the damage was in the checkpoints, not in the resuming.
  expect(alarmsIn(events.slice(last))).toEqual([]);
  expect(all('incident').map(({ code: one }) => one)).toContain('start-refused');
  expect(all('checkpoint-rejected').map(({ step }) => step)).toEqual([800, 601]);
  expect(all('sealed')[0]).toMatchObject({ checkpoint: { path: at(1_200), step: 1_200 } });
});
