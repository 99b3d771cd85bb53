/**
 * A hero run that starts from a checkpoint: the contract's path, the stored files, and the launcher's check.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { type CheckpointFolders, checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, HERO_LANE, openHeroIssue, openHeroLab, postHeroIssue, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, approveAndFinish, readEventsOf, readState, seal, until, untilState } from '../support/play.ts';
import { postedEvents } from '../support/recorded.ts';
import { listBotComments, SHORT_FERRY } from '../support/talk.ts';
import { MORNING, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

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
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null, { limitMs: HOUR_MS });
  return { lab, issue, folders, jobs };
}

const verdict = async (lab: VirtualLab): Promise<unknown> =>
  (await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'checkpoint-proven');

// rules HR-12, HR-75
it("a hero run starts from the newest complete checkpoint below the contract's root, with path and step shown", async () => {
  const { lab, issue, folders, jobs } = await begin(({ root }) => join(root, 'checkpoints'));
  const path = join(folders.root, 'checkpoints/step-1000');
  const state = await readState(lab, RUN);
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  expect(state?.gate?.manifest).toMatchObject({
    resume: { initializeFrom: path, initializeStep: 1_000 },
    command: expect.arrayContaining(['--trainer.initialize_from={checkpoint}']),
  });
  expect(listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text).toContain(path);
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  expect(jobs).toMatchObject([{ command: expect.arrayContaining([`--trainer.initialize_from=${path}`]) }]);
});

// rule HR-56
it('a hero run waits for the DRI while its named checkpoint is incomplete', async () => {
  const { lab, folders } = await begin(({ root }) => join(root, 'checkpoints/step-1200'));
  expect(await verdict(lab)).toMatchObject({ outcome: 'fail', code: 'refused', found: { why: 'no-metadata' } });
  expect((await readState(lab, RUN))?.gate?.digest).toBeNull();
  const card = listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
  expect(card).toContain('incomplete: it has no metadata.json');
  expect(await postedEvents(lab, 'incident')).toEqual(['start-refused']);
  await folders.write(1_200, MORNING - 7 * HOUR_MS);
  await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: 2 * HOUR_MS });
  expect(await verdict(lab)).toMatchObject({ code: 'proven', found: { step: 1_200 } });
});

it('the launcher checks the checkpoint again, and launches nothing if it was deleted after the approval', async () => {
  const gone: { folder: string } = { folder: '' };
  const beforeJob = async (mode: string): Promise<void> => {
    if (mode === 'launch') await rm(join(gone.folder, 'metadata.json'));
  };
  const { lab, issue, folders, jobs } = await begin(({ root }) => join(root, 'checkpoints/step-1000'), { beforeJob });
  gone.folder = join(folders.root, 'checkpoints/step-1000');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the refusal', async () =>
    (await readEventsOf(lab, RUN)).some(({ type, data }) => type === 'incident' && 'code' in data),
  );
  await until(lab, 'its reason', async () => {
    const refused = filterIncidents((await readState(lab, RUN))?.incidents ?? [], 'runner-refused');
    return refused.some(({ detail }) => detail.reason === 'checkpoint-proven');
  });
  expect(jobs).toEqual([]);
});

const BASE = ANSWERS['Command'] ?? '';
const OTHER = 's3://lab/other/checkpoints/step-58014';

// threat T116
// rule HR-34
it.each([
  `${BASE} --initialize-from-checkpoint ${OTHER}`,
  `${BASE} --initialize-from-checkpoint=${OTHER}`,
  `${BASE} --load-checkpoint-path /ckpt/other/step-58014`,
  `INITIALIZE_FROM=${OTHER} ${BASE}`,
  `${BASE} --warm-start ${OTHER}`,
])('the checkpoint gate blocks %s if the contract names no checkpoint', async (command) => {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  await openHeroIssue(lab, { answers: { Command: command } });
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null, { limitMs: HOUR_MS });
  expect(await verdict(lab)).toMatchObject({ outcome: 'fail', code: 'command-differs' });
});

it.each([
  `bash -c 'python3 train.py --initialize-from-checkpoint $CKPT'`,
  `${BASE} --initialize-from-checkpoint '$CKPT'`,
])("the checkpoint gate is unknown for %s, because only the job's shell expands it", async (command) => {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  await openHeroIssue(lab, { answers: { Command: command } });
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null, { limitMs: HOUR_MS });
  expect(await verdict(lab)).toMatchObject({ outcome: 'unknown', remedyBy: 'author' });
});

it("the checkpoint gate accepts a model listed as another input, but not one in a lane's start option", async () => {
  const command = `${BASE} --teacher ${OTHER} --begin-at /data/models/seven`;
  const answers = { Command: command, 'Other inputs': `${OTHER}\n/data/tokenizer` };
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  await openHeroIssue(lab, { answers });
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null, { limitMs: HOUR_MS });
  const state = await readState(lab, RUN);
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  const strict = await openHeroLab({
    config: (text) => `${text.trimEnd()}\n${HERO_LANE}    startOptions: [begin_at]\n`,
  });
  onTestFinished(() => strict.close());
  await openHeroIssue(strict, { answers });
  await untilState(strict, RUN, (state) => state.gate != null, { limitMs: HOUR_MS });
  expect(await verdict(strict)).toMatchObject({ code: 'command-differs', found: { said: '/data/models/seven' } });
});

it("the checkpoint gate blocks a path below another run's output root unless the contract lists it", async () => {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  const first = await openHeroIssue(lab);
  await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: HOUR_MS });
  await approveAndFinish(lab, RUN, first);
  await seal(lab, RUN, first);
  const cache = 'outputs/grug-moe-1e23-ep8/cache';
  const other = 'grug-moe-next';
  const answers = {
    ...{ 'Run slug': other, 'W&B run id': other, 'Output root': `outputs/${other}` },
    Command: `${BASE} --tokenized ${cache}`,
  };
  const issue = await openHeroIssue(lab, { answers });
  await until(lab, 'the gates', async () => (await readState(lab, other))?.gate != null, { limitMs: HOUR_MS });
  const verdictOf = async () =>
    (await readState(lab, other))?.gate?.verdicts.find(({ gate }) => gate === 'checkpoint-proven');
  expect(await verdictOf()).toMatchObject({ code: 'command-differs', found: { said: cache } });
  const { body } = await postHeroIssue(lab, { ...answers, 'Other inputs': cache });
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body });
  await until(lab, 'the proof', async () => (await verdictOf())?.code === 'anew');
});
