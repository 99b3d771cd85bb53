/** `npm start -- --lane hero`: the story of the page, from the form to the seal, with real training, checkpoints, git, runner and bundle. */

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

it('is preempted, goes on from its newest checkpoint, diverges, goes back before the jump at the word of people, and is sealed', {
  // Two and a half minutes on a quiet machine; beside a heavy neighbour several times that.
  timeout: 1_000_000,
}, async () => {
  // Another one for each attempt: a lab that was played to its end is no new one.
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-hero-'));
  folders.push(folder);
  const { code, answer } = await startProcess(folder, '--lane', 'hero').ended;
  expect(answer).toMatchObject({ ok: true, reason: null });
  expect(code).toBe(0);
  // The ferry of the day is proposed beside it where it is that time of the day.
  const run = 'small-hero';
  expect(answer?.runs.map((one) => one.run)).toContain(run);
  const events = await recordedEvents(join(folder, 'logbook'), run);
  const all = (type: string) => events.flatMap((event) => (event.type === type ? [event.data] : []));
  const at = (step: number): string => join(folder, `outputs/small-hero/checkpoints/step-${step}`);
  const begun = all('submitted').map(({ command }) => (command as readonly string[]).at(-1));
  expect(begun).toEqual(['1200', `--initialize-from=${at(500)}`, `--initialize-from=${at(600)}`]);
  expect(all('ended').map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SUCCEEDED']);
  // Two people for each of the two manifests, and none for the attempt that began by itself.
  expect(all('approved').map(({ attempt }) => attempt)).toHaveLength(4);
  expect(new Set(all('approved').map(({ digest }) => digest)).size).toBe(2);
  const alarmsIn = (some: typeof events) =>
    some.flatMap(({ type, data }) =>
      type === 'incident' && data['code'] === 'run-alarm'
        ? [(data['detail'] as Readonly<Record<string, unknown>>)['detector']]
        : [],
    );
  const last = events.findLastIndex(({ type }) => type === 'submitted');
  // Where two evals are seen before people stop it, they tell of the same.
  const [first, ...others] = alarmsIn(events.slice(0, last));
  expect([first, ...others.filter((one) => one !== 'regression')]).toEqual(['loss-spike']);
  // What is made again is what was made before: the damage was in the checkpoints, not in the resuming.
  expect(alarmsIn(events.slice(last))).toEqual([]);
  expect(all('incident').map(({ code: one }) => one)).toContain('start-refused');
  expect(all('checkpoint-rejected').map(({ step }) => step)).toEqual([800, 601]);
  expect(all('sealed')[0]).toMatchObject({ checkpoint: { path: at(1_200), step: 1_200 } });
});
