/** The watch of a hero run reads its checkpoints from the store instead of trusting the log. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { type CheckpointFolders, checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readState, until } from '../support/play.ts';
import { listBotTexts, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;
/** Five hours of steps; every 400 steps the log reports a saved checkpoint. */
const LONG = { ...SHORT_FERRY, durationMs: 5 * 60 * MINUTE_MS };

type Play = { readonly lab: VirtualLab; readonly folders: CheckpointFolders };

/** A hero run after its first step. */
async function begin(): Promise<Play> {
  const folders = await checkpointFolders();
  const lab = await openHeroLab({ script: () => ferryScript(LONG) });
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
  });
  const answers = { 'Output root': folders.root };
  const issue = await openHeroIssue(lab, { answers });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the first step', async () => ((await readState(lab, RUN))?.observation?.step ?? 0) > 0);
  return { lab, folders };
}

const seen = async ({ lab }: Play) => (await readState(lab, RUN))?.observation?.store;
const card = ({ lab }: Play): string => listBotTexts(lab, 'card').findLast((text) => text.includes(RUN)) ?? '';
const alarms = async ({ lab }: Play, detector: string): Promise<number> => {
  const { incidents = [] } = (await readState(lab, RUN)) ?? {};
  return filterIncidents(incidents, 'run-alarm').filter(({ detail }) => detail.detector === detector).length;
};
const reached = ({ lab }: Play, step: number): Promise<void> =>
  until(lab, `step ${step}`, async () => ((await readState(lab, RUN))?.observation?.step ?? 0) >= step, {
    stepMs: 5 * MINUTE_MS,
    limitMs: 12 * 60 * MINUTE_MS,
  });

it('shows the newest complete checkpoint on the card, and raises no alarm while log and store agree', async () => {
  const play = await begin();
  const { lab, folders } = play;
  await reached(play, 390);
  await folders.write(400, lab.clock.now());
  await reached(play, 440);
  await lab.clock.advance(20 * MINUTE_MS);
  expect(await seen(play)).toMatchObject({ last: { newest: { step: 400 } } });
  expect((await seen(play))?.last?.missing).toBeUndefined();
  expect(card(play)).toContain('| Store | step 400 complete, written ');
  expect(await alarms(play, 'checkpoint-missing')).toBe(0);
});

it('raises one alarm if the store lacks a checkpoint that the log reports, and clears it once it exists', async () => {
  const play = await begin();
  const { lab, folders } = play;
  await reached(play, 440);
  await lab.clock.advance(60 * MINUTE_MS);
  expect(await alarms(play, 'checkpoint-missing')).toBe(1);
  expect(listBotTexts(lab, 'incident').at(-1)).toContain('the log reports the checkpoint of step `400` as saved');
  await folders.write(400, lab.clock.now());
  await lab.clock.advance(20 * MINUTE_MS);
  expect((await readState(lab, RUN))?.observation?.alarms ?? []).not.toContain('checkpoint-missing');
  expect(await alarms(play, 'checkpoint-missing')).toBe(1);
});

it('ignores checkpoints from before the launch, incomplete ones, and ones beyond the current step', async () => {
  const play = await begin();
  const { lab, folders } = play;
  await folders.write(300, lab.clock.now() - 24 * 60 * MINUTE_MS);
  await folders.write(1_100, lab.clock.now());
  await reached(play, 440);
  await folders.write(410, lab.clock.now(), false);
  await lab.clock.advance(20 * MINUTE_MS);
  expect((await seen(play))?.last).toMatchObject({ newest: null, partial: { step: 410 } });
});

it('shows that the store is unreadable, and does not report its checkpoints as missing', async () => {
  const play = await begin();
  const { lab, folders } = play;
  await rm(join(folders.root, 'checkpoints'), { recursive: true, force: true });
  await mkdir(folders.root, { recursive: true });
  await writeFile(join(folders.root, 'checkpoints'), 'no folder');
  await reached(play, 440);
  await lab.clock.advance(60 * MINUTE_MS);
  expect(await seen(play)).toMatchObject({ unread: expect.stringContaining('ENOTDIR') });
  expect(card(play)).toContain('| Store | cannot be read');
  expect(await alarms(play, 'checkpoint-missing')).toBe(0);
});

it('reads the store at the usual interval, however often the job is observed', async () => {
  const play = await begin();
  const { lab, folders } = play;
  await reached(play, 390);
  for (let step = 1; step <= 380; step += 10) await folders.write(step, lab.clock.now());
  const asked = new Set<string>();
  const from = lab.clock.now();
  while (lab.clock.now() - from < 60 * MINUTE_MS) {
    await lab.clock.advance(MINUTE_MS);
    asked.add((await seen(play))?.requestedAt ?? '');
  }
  expect(asked.size).toBeLessThanOrEqual(8);
  expect((await seen(play))?.last?.newest).toMatchObject({ step: 371 });
});
