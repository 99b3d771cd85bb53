/** A hero run that fails: which checkpoint it resumes from, what people reject, and an approved rollback. */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rootsOfRun } from '../../src/checkpoints/cleanup.ts';
import { buildRecordedLineage } from '../../src/checkpoints/lineage.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { type CheckpointFolders, checkpointFolders } from '../support/checkpoint-folders.ts';
import { type FerryShape, ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, HERO_LANE, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, readEventsOf, readState, seal, until } from '../support/play.ts';
import { commentAndReadCode } from '../support/recorded.ts';
import { listBotComments, listBotTexts, listRepeatedComments, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

/** A job that is preempted at this step. */
const until900: Partial<FerryShape> = { failAt: { step: 900, line: PREEMPTED, exitCode: 1 } };

type Play = { lab: VirtualLab; issue: number; folders: CheckpointFolders; jobs: readonly JobSpec[] };

/** `attempts` has the shape of each job; the last one is used for all that follow. */
async function begin(attempts: readonly Partial<FerryShape>[], command: string, restarts = 1): Promise<Play> {
  const folders = await checkpointFolders();
  const jobs: JobSpec[] = [];
  const lab = await openHeroLab({
    config: (text) => `${text.trimEnd()}\n${HERO_LANE}    restartsMax: ${restarts}\n`,
    script: (spec) => {
      jobs.push(spec);
      return ferryScript({ ...SHORT_FERRY, ...(attempts[jobs.length - 1] ?? attempts.at(-1)) });
    },
  });
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
  });
  const answers = { Command: command, 'Output root': folders.root };
  const issue = await openHeroIssue(lab, { answers });
  await approve(lab, 'mira', issue, RUN);
  return { lab, issue, folders, jobs };
}

const TAKES = `${ANSWERS['Command']} --resume={checkpoint}`;

/** Waits until the job of this attempt has reached the step. */
const reached = ({ lab }: Play, attempt: number, step: number): Promise<void> =>
  until(lab, `step ${step} of attempt ${attempt}`, async () =>
    (await readEventsOf(lab, RUN)).some(
      ({ type, data }) =>
        type === 'observed' && 'attempt' in data && data.attempt === attempt && Number(data.step) >= step,
    ),
  );
const ended = ({ lab }: Play, attempt: number): Promise<void> =>
  until(lab, `the end of attempt ${attempt}`, async () =>
    (await readEventsOf(lab, RUN)).some(
      ({ type, data }) => type === 'ended' && 'attempt' in data && data.attempt === attempt,
    ),
  );

/** Writes complete checkpoints for `steps` and an incomplete one for `half`. */
async function written({ lab, folders }: Play, steps: readonly number[], half: number): Promise<void> {
  for (const step of steps) await folders.write(step, lab.clock.now());
  await folders.write(half, lab.clock.now(), false);
}

const answer = ({ lab, issue }: Play, line: string) => commentAndReadCode(lab, 'mira', issue, line, 120_000);

it('a preempted hero run restarts after hours, despite many check suites of scheduled workflows on its commit', async () => {
  const hours = { durationMs: 7 * 60 * MINUTE_MS, ...until900 };
  const play = await begin([hours, {}], TAKES);
  const { lab, folders, jobs } = play;
  await lab.clock.advance(5 * 60 * MINUTE_MS);
  await folders.write(800, lab.clock.now());
  await until(lab, 'the second attempt', () => jobs.length === 2, { limitMs: 4 * 60 * MINUTE_MS });
  expect(Object.keys(lab.world.state.checkSuites).length).toBeGreaterThan(30);
});

it('a hero run mentions the DRI if an unknown actor stopped its job, but not after a /stop', async () => {
  const play = await begin([{}], TAKES);
  const { lab } = play;
  await reached(play, 1, 810);
  lab.engine.stopNow((await readState(lab, RUN))?.submission?.jobId ?? '');
  await ended(play, 1);
  await lab.clock.advance(5 * MINUTE_MS);
  expect(listBotTexts(lab, 'ended')[0]).toContain('STOPPED');
  expect(listBotTexts(lab, 'ended')[0]).toMatch(/@ada/);

  const other = await begin([{}], TAKES);
  await reached(other, 1, 810);
  await answer(other, '/stop');
  await ended(other, 1);
  await other.lab.clock.advance(5 * MINUTE_MS);
  expect(listBotTexts(other.lab, 'ended')[0]).toContain('STOPPED');
  expect(listBotTexts(other.lab, 'ended')[0]).not.toMatch(/@ada/);
  // A rollback is not possible after that, but the run can be resumed under another id.
  expect(listBotTexts(other.lab, 'ended')[0]).toMatch(
    /\*\*Wanted: .*`\/ack reject=.* or `\/resume-as id=… from=… reason="…"`/,
  );
  expect(await answer(other, '/rollback step=400 reason="behind the spike"')).toBe('rollback-not-now');
  expect(await answer(other, '/why')).toBe('why-nothing');
});

// rule HR-51
it('a hero run resumes from its newest checkpoint, rolls back behind a rejected one, and is sealed', async () => {
  const play = await begin([until900, until900, {}], TAKES);
  const { lab, issue, folders, jobs } = play;
  const at = (step: number): string => join(folders.root, 'checkpoints', `step-${step}`);
  await reached(play, 1, 810);
  await written(play, [400, 800], 900);
  expect(await answer(play, '/rollback step=400 reason="too early"')).toBe('rollback-not-now');
  await until(lab, 'the second attempt', () => jobs.length === 2);
  expect(jobs.map(({ command }) => command.at(-1))).toEqual(['experiments/ferries/daily.py', `--resume=${at(800)}`]);
  const again = await readState(lab, RUN);
  expect(again?.order).toMatchObject({
    order: { attempt: 2, parent: { attempt: 1 }, checkpoint: { path: at(800), step: 800 } },
    digest: expect.anything(),
  });
  expect(again?.order?.order.digest).toBe(again?.attempts[0]?.order.order.digest);

  await ended(play, 2);
  await lab.clock.advance(10 * MINUTE_MS);
  // The same failure again needs a person.
  expect(jobs).toHaveLength(2);
  expect(listBotTexts(lab, 'launch')[0]).not.toContain('Starts from');
  expect(listBotTexts(lab, 'launch')[1]).toContain(`| Starts from | step 800, \`${at(800)}\` |`);
  expect(listBotTexts(lab, 'ended').join()).not.toContain('Ray job');
  expect(await answer(play, '/seal')).toBe('seal-failed');
  const reject = '/reject-checkpoint step=800 reason="the loss had spiked"';
  expect(await answer(play, reject)).toBe('checkpoint-rejected');
  expect(await answer(play, '/rollback step=800 reason="as before"')).toBe('rollback-refused');
  expect(await answer(play, '/rollback step=900 reason="newer"')).toBe('rollback-refused');
  const refusals = listBotTexts(lab, 'incident').filter((text) => text.includes('may not be used'));
  expect(refusals).toHaveLength(2);
  for (const text of refusals) expect(text).toContain('`/rollback` names the step of a complete checkpoint');
  expect(await answer(play, '/rollback step=400 reason="behind the spike"')).toBe('rolled-back');
  const gated = await readState(lab, RUN);
  expect(gated === null ? null : listOpenGates(gated)).toEqual([]);
  expect(gated?.gate?.manifest?.resume).toMatchObject({ initializeFrom: at(400), initializeStep: 400 });
  expect(gated?.gate?.digest).not.toBe(gated?.order?.order.digest);
  expect(jobs).toHaveLength(2);
  const cards = listBotComments(lab).filter(({ kind, text }) => kind === 'card' && text.includes(`Run \`${RUN}\``));
  const card = cards.at(-1)?.text;
  expect(card).toContain(`it starts from step 400, \`${at(400)}\``);
  expect(card).not.toContain('the job itself decides');

  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the third attempt', () => jobs.length === 3);
  expect(jobs.at(-1)?.command.at(-1)).toBe(`--resume=${at(400)}`);
  await reached(play, 3, 810);
  await written(play, [800, 1_200], 1_300);
  await ended(play, 3);
  const last = listBotTexts(lab, 'ended').at(-1);
  expect(last).toContain(`After attempt 2, started again from step 400: \`${at(400)}\`.`);
  expect(last).not.toContain('Fixed after');
  const state = await readState(lab, RUN);
  expect(state === null ? null : buildRecordedLineage(state)).toMatchObject({
    attempts: [
      { attempt: 1, startStep: 0, startedFrom: null },
      { attempt: 2, startStep: 800, startedFrom: at(800) },
      { attempt: 3, startStep: 400, startedFrom: at(400) },
    ],
    rejections: [{ step: 800 }, { step: 401, reason: 'behind the spike' }],
  });
  // Clean-up and seal use the recorded roots, even if the lane's config names others later.
  const elsewhere = { checkpointRoots: ['gs://elsewhere/{run}'] };
  expect(state === null ? null : rootsOfRun(state, elsewhere)).toEqual([folders.root, at(0).replace('/step-0', '')]);
  await seal(lab, RUN, issue);
  expect(listRepeatedComments(lab)).toEqual([]);
});

it('a hero run without a complete checkpoint starts from step 0 only after a /rollback', async () => {
  const play = await begin([until900, {}], TAKES);
  const { lab, issue, folders, jobs } = play;
  await reached(play, 1, 810);
  await folders.write(800, lab.clock.now(), false);
  await ended(play, 1);
  await lab.clock.advance(10 * MINUTE_MS);
  expect(jobs).toHaveLength(1);
  expect(listBotTexts(lab, 'incident').at(-1)).toContain('checkpoint-proven');
  expect(await answer(play, '/rollback step=0 reason="nothing is lost"')).toBe('rolled-back');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the second attempt', () => jobs.length === 2);
  expect(jobs[1]?.command.join(' ')).not.toContain('checkpoint');
});

it('a hero run is not restarted if its job would choose a rejected checkpoint itself', async () => {
  const play = await begin([until900, {}], ANSWERS['Command'] ?? '');
  const { lab, jobs } = play;
  await reached(play, 1, 810);
  await written(play, [400, 800], 900);
  await answer(play, '/reject-checkpoint step=800 reason="the loss had spiked"');
  await ended(play, 1);
  await lab.clock.advance(10 * MINUTE_MS);
  expect(jobs).toHaveLength(1);
  // The command has no placeholder for a checkpoint, so the rollback could not take effect.
  await answer(play, '/rollback step=400 reason="behind the spike"');
  const state = await readState(lab, RUN);
  expect(state === null ? null : listOpenGates(state)).toEqual(['checkpoint-proven command-differs']);
});

it('a hero run offers /rollback if the same attempt would fail again, and restarts there after approval', async () => {
  const lost = { failAt: { step: 900, line: 'FloatingPointError: Loss is nan', exitCode: 1 } };
  const play = await begin([lost, {}], TAKES);
  const { lab, issue, folders, jobs } = play;
  await reached(play, 1, 810);
  await folders.write(400, lab.clock.now());
  await ended(play, 1);
  await lab.clock.advance(10 * MINUTE_MS);
  expect(listBotTexts(lab, 'ended').at(-1)).toMatch(/`\/rollback step=… reason="…"` by an approver/);
  expect(await answer(play, '/relaunch')).toBe('relaunch-never');
  await answer(play, '/rollback step=400 reason="before the loss was lost"');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the second attempt', () => jobs.length === 2);
});
