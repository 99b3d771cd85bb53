/** Attempts to make a hero run resume from a checkpoint that no approver would accept. */

import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readEventsOf, readState, until } from '../support/play.ts';
import { listAnswersTo, postComment, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

/** A launched run; each of its jobs is preempted at step 900. */
async function begin() {
  const folders = await checkpointFolders();
  const jobs: JobSpec[] = [];
  const script = (spec: JobSpec) => {
    jobs.push(spec);
    return ferryScript({ ...SHORT_FERRY, failAt: { step: 900, line: PREEMPTED, exitCode: 1 } });
  };
  const lab = await openHeroLab({ script });
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
  });
  const Command = `${ANSWERS['Command']} --resume={checkpoint}`;
  const issue = await openHeroIssue(lab, { answers: { Command, 'Output root': folders.root } });
  await approve(lab, 'mira', issue, RUN);
  return { lab, issue, folders, jobs };
}

const happened = (lab: VirtualLab, type: string, attempt: number, step = 0): Promise<void> =>
  until(lab, `${type} of attempt ${attempt}`, async () =>
    (await readEventsOf(lab, RUN)).some(
      (one) =>
        one.type === type &&
        'attempt' in one.data &&
        one.data.attempt === attempt &&
        (!('step' in one.data) || Number(one.data.step) >= step),
    ),
  );

async function answer(lab: VirtualLab, issue: number, line: string): Promise<string> {
  const comment = await postComment(lab, 'mira', issue, line);
  await lab.clock.advance(2 * MINUTE_MS);
  return listAnswersTo(lab, comment).join('\n');
}

it('a checkpoint that was rejected after the approval of its rollback is not used again', async () => {
  const { lab, issue, folders, jobs } = await begin();
  await happened(lab, 'observed', 1, 810);
  await folders.write(400, lab.clock.now());
  await happened(lab, 'ended', 2);
  await answer(lab, issue, '/rollback step=400 reason="behind the spike"');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the third attempt', () => jobs.length === 3);
  await answer(lab, issue, '/reject-checkpoint step=400 reason="that one had diverged too"');
  await happened(lab, 'ended', 3);
  await answer(lab, issue, '/relaunch reason="the machine is back"');
  await lab.clock.advance(20 * MINUTE_MS);
  expect(jobs).toHaveLength(3);
  expect(jobs.at(-1)?.command.at(-1)).toContain('step-400');
});

it("a checkpoint root that links to another run's root starts no attempt", async () => {
  const { lab, folders, jobs } = await begin();
  const elsewhere = await checkpointFolders();
  onTestFinished(elsewhere.close);
  await happened(lab, 'observed', 1, 810);
  await folders.write(400, lab.clock.now());
  await elsewhere.write(800, lab.clock.now());
  await rm(join(folders.root, 'checkpoints'), { recursive: true });
  await symlink(join(elsewhere.root, 'checkpoints'), join(folders.root, 'checkpoints'));
  await happened(lab, 'ended', 1);
  await lab.clock.advance(20 * MINUTE_MS);
  expect(jobs).toHaveLength(1);
});

it('a forged checkpoint name is passed as one argument, and an absurdly high step blocks nothing', async () => {
  const { lab, folders, jobs } = await begin();
  await happened(lab, 'observed', 1, 810);
  const name = "x\n`id`$(id) --env '{outputRoot}'";
  const path = join(folders.root, 'checkpoints', name);
  await rename(await folders.write(9_007_199_254_740_991, lab.clock.now()), path);
  await until(lab, 'the second attempt', () => jobs.length === 2);
  expect(jobs[1]?.command).toEqual([...(jobs[0]?.command ?? []), `--resume=${path}`]);
  expect((await readState(lab, RUN))?.order?.order.checkpoint).toEqual({ path, step: 9_007_199_254_740_991 });
});

it("a /rollback by an untrusted user, or edited into a maintainer's comment, changes nothing", async () => {
  const { lab, issue, folders } = await begin();
  await happened(lab, 'observed', 1, 810);
  await folders.write(400, lab.clock.now());
  await happened(lab, 'ended', 2);
  const line = '/rollback step=400 reason="mine"';
  const strange = await postComment(lab, 'sol', issue, line);
  const edited = await postComment(lab, 'mira', issue, 'I will look at it.');
  await lab.as('ada', 'PATCH', `/issues/comments/${edited}`, { body: line });
  await lab.clock.advance(5 * MINUTE_MS);
  expect(listAnswersTo(lab, strange).join()).not.toContain('The run goes back');
  const state = await readState(lab, RUN);
  expect(state).toMatchObject({ rollback: null, rejections: [] });
});
