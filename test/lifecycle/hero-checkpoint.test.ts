/** A hero run that begins from a checkpoint: what its contract names, what lies there, and what the launcher finds. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { incidentsWith } from '../../src/domain/incidents.ts';
import { type CheckpointFolders, checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import { openGates } from '../support/own-pull.ts';
import { approve, eventsOf, stateOf, until } from '../support/play.ts';
import { botComments, SHORT_FERRY, told } from '../support/talk.ts';
import { MORNING, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const RUN = 'grug-moe-1e23-ep8';
const HOUR_MS = 3_600_000;

async function begin(
  said: (folders: CheckpointFolders) => string,
  options: VirtualLabOptions = {},
): Promise<{ lab: VirtualLab; issue: number; folders: CheckpointFolders; jobs: readonly JobSpec[] }> {
  const folders = await checkpointFolders();
  const jobs: JobSpec[] = [];
  const script = (spec: JobSpec) => {
    jobs.push(spec);
    return ferryScript(SHORT_FERRY);
  };
  const lab = await openHeroLab({ script, ...options });
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
  });
  await folders.write(400, MORNING - 9 * HOUR_MS);
  await folders.write(1_000, MORNING - 8 * HOUR_MS);
  await folders.write(1_200, MORNING - 7 * HOUR_MS, false);
  const issue = await openHeroIssue(lab, {
    answers: {
      Command: `${ANSWERS['Command']} --trainer.initialize_from={checkpoint}`,
      initialize_from: said(folders),
      'Source run': 'outside the record',
    },
  });
  await until(lab, 'the gates', async () => (await stateOf(lab, RUN))?.gate != null, { limitMs: HOUR_MS });
  return { lab, issue, folders, jobs };
}

const verdict = async (lab: VirtualLab): Promise<unknown> =>
  (await stateOf(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'checkpoint-proven');

it('begins from the newest whole one of the root that the contract names, by its path and its step', async () => {
  const { lab, issue, folders, jobs } = await begin(({ root }) => join(root, 'checkpoints'));
  const path = join(folders.root, 'checkpoints/step-1000');
  const state = await stateOf(lab, RUN);
  expect(state === null ? null : openGates(state)).toEqual([]);
  expect(state?.gate?.manifest).toMatchObject({
    resume: { initializeFrom: path, initializeStep: 1_000 },
    command: expect.arrayContaining(['--trainer.initialize_from={checkpoint}']),
  });
  expect(botComments(lab).findLast(({ kind }) => kind === 'card')?.text).toContain(path);
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await stateOf(lab, RUN))?.submission != null);
  expect(jobs).toMatchObject([{ command: expect.arrayContaining([`--trainer.initialize_from=${path}`]) }]);
});

it('waits for the DRI where the one that the contract names is not whole, and goes on once it is', async () => {
  const { lab, folders } = await begin(({ root }) => join(root, 'checkpoints/step-1200'));
  expect(await verdict(lab)).toMatchObject({
    outcome: 'fail',
    code: 'refused',
    found: { why: 'no-metadata' },
  });
  expect((await stateOf(lab, RUN))?.gate?.digest).toBeNull();
  const card = botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
  expect(card).toContain('incomplete: it has no metadata.json');
  expect(told(lab, 'incident')).toEqual([
    expect.stringContaining('no other checkpoint is taken in its place'),
  ]);
  await folders.write(1_200, MORNING - 7 * HOUR_MS);
  await until(lab, 'the proof', async () => (await stateOf(lab, RUN))?.gate?.digest != null, {
    limitMs: 2 * HOUR_MS,
  });
  expect(await verdict(lab)).toMatchObject({ code: 'proven', found: { step: 1_200 } });
});

it('is looked at again by the launcher: what is gone by then starts nothing', async () => {
  const gone: { folder: string } = { folder: '' };
  const beforeJob = async (mode: string): Promise<void> => {
    if (mode === 'launch') await rm(join(gone.folder, 'metadata.json'));
  };
  const { lab, issue, folders, jobs } = await begin(({ root }) => join(root, 'checkpoints/step-1000'), {
    beforeJob,
  });
  gone.folder = join(folders.root, 'checkpoints/step-1000');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the refusal', async () =>
    (await eventsOf(lab, RUN)).some(({ type, data }) => type === 'incident' && 'code' in data),
  );
  await until(lab, 'its reason', async () => {
    const refused = incidentsWith((await stateOf(lab, RUN))?.incidents ?? [], 'runner-refused');
    return refused.some(({ detail }) => detail.reason === 'checkpoint-proven');
  });
  expect(jobs).toEqual([]);
});
