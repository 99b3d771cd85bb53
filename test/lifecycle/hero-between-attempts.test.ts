/**
 * A hero run whose next attempt is ordered but not launched: commands that change its checkpoint arrive in
 * this interval.
 */

import { expect, it, onTestFinished } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, type Answers, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readEventsOf, readState, until, untilState } from '../support/play.ts';
import { listAnswersTo, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const AWAY = 30 * MINUTE;
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';
const TAKES = `${ANSWERS['Command']} --resume={checkpoint}`;

type Play = { readonly lab: VirtualLab; readonly issue: number; readonly jobs: readonly JobSpec[] };

/**
 * The first job was preempted at step 900 and left steps 400 and 800; the launcher of the second runs in half
 * an hour.
 */
async function ordered(changed: Answers = {}, early: string | null = null): Promise<Play> {
  const folders = await checkpointFolders();
  const jobs: JobSpec[] = [];
  let awayMs = 0;
  let sleep = async (_ms: number): Promise<void> => undefined;
  const lab = await openHeroLab({
    script: (spec) => {
      jobs.push(spec);
      const failAt = jobs.length === 1 ? { step: 900, line: PREEMPTED, exitCode: 1 } : null;
      return ferryScript({ ...SHORT_FERRY, failAt });
    },
    beforeJob: (mode) => (mode === 'launch' ? sleep(awayMs) : Promise.resolve()),
  });
  sleep = lab.clock.sleep;
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
  });
  const answers = { Command: TAKES, 'Output root': folders.root, ...changed };
  const issue = await openHeroIssue(lab, { answers });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'step 810', async () =>
    (await readEventsOf(lab, RUN)).some(
      ({ type, data }) => type === 'observed' && 'step' in data && Number(data.step) >= 810,
    ),
  );
  for (const step of [400, 800]) await folders.write(step, lab.clock.now());
  // Posted while the first job runs.
  if (early !== null) await postComment(lab, 'mira', issue, early);
  awayMs = AWAY;
  await untilState(lab, RUN, (state) => state.order?.order.attempt === 2, { stepMs: 1_000 });
  awayMs = 0;
  return { lab, issue, jobs };
}

/** Posted seconds before the launcher runs, without a webhook to control. */
async function lastMoment({ lab, issue }: Play, who: 'mira' | 'ada' | 'sol', line: string): Promise<number> {
  lab.world.state.settings.drop = 'all';
  await lab.clock.advance(AWAY - 20_000);
  const comment = await postComment(lab, who, issue, line);
  await lab.clock.advance(2 * MINUTE);
  lab.world.state.settings.drop = 'none';
  return comment;
}

async function refusals({ lab }: Play): Promise<readonly string[]> {
  const state = await readState(lab, RUN);
  return filterIncidents(state?.incidents ?? [], 'runner-refused').map(({ detail }) => detail.reason);
}

async function answerTo({ lab, issue }: Play, line: string): Promise<string> {
  const comment = await postComment(lab, 'mira', issue, line);
  await lab.clock.advance(2 * MINUTE);
  return listAnswersTo(lab, comment).join('\n');
}

// threat T125
it('a /rollback cancels the ordered attempt, and the new attempt needs its own approval', async () => {
  const play = await ordered();
  const { lab, issue, jobs } = play;
  const said = await answerTo(play, '/rollback step=400 reason="behind the spike"');
  expect(said).toContain('from step 400');
  expect((await readState(lab, RUN))?.order?.status).toBe('void');
  await lab.clock.advance(AWAY + 5 * MINUTE);
  expect(jobs).toHaveLength(1);
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the second attempt', () => jobs.length === 2);
  expect(jobs[1]?.command.at(-1)).toMatch(/--resume=.*step-400$/);
});

// threat T124
it.each([
  '/reject-checkpoint step=800 reason="the loss had spiked"',
  '/rollback step=400 reason="the loss had spiked"',
])('%s at the last moment stops the launcher itself', async (line) => {
  const play = await ordered();
  await lastMoment(play, 'mira', line);
  expect(await refusals(play)).toEqual(['held']);
  expect(play.jobs).toHaveLength(1);
});

it("a late /reject-checkpoint blocks the launch if only the job's machine can see the checkpoints", async () => {
  const play = await ordered({ Command: ANSWERS['Command'] ?? '', 'Output root': 'outputs/grug' });
  await lastMoment(play, 'mira', '/reject-checkpoint step=900 reason="the loss had spiked"');
  expect(await refusals(play)).toEqual(['held']);
  expect(play.jobs).toHaveLength(1);
});

// threat T126
it.each([
  ['mira', '/reject-checkpoint step=900 reason="what comes later"'],
  ['ada', '/reject-checkpoint step=400 reason="mine to say"'],
  ['sol', '/rollback step=400 reason="mine to say"'],
] as const)(
  'what %s posts at the last moment blocks nothing if it changes no usable checkpoint: %s',
  async (who, line) => {
    const play = await ordered();
    await lastMoment(play, who, line);
    expect(await refusals(play)).toEqual([]);
    expect(play.jobs.at(-1)?.command.at(-1)).toMatch(/--resume=.*step-800$/);
  },
);

it('a /rollback that was posted too early and not accepted does not block the next attempt', async () => {
  const play = await ordered({}, '/rollback step=400 reason="too early"');
  await play.lab.clock.advance(AWAY + 2 * MINUTE);
  expect(await refusals(play)).toEqual([]);
  expect(play.jobs.at(-1)?.command.at(-1)).toMatch(/--resume=.*step-800$/);
});

it('a processed /reject-checkpoint cancels the ordered attempt, and an earlier checkpoint can be approved', async () => {
  const play = await ordered();
  const { lab, jobs } = play;
  expect(await answerTo(play, '/reject-checkpoint step=800 reason="the loss had spiked"')).toContain('rejected');
  await lab.clock.advance(AWAY);
  expect(await refusals(play)).toEqual(['checkpoint-proven']);
  expect(jobs).toHaveLength(1);
  await approve(lab, 'mira', play.issue, RUN);
  await until(lab, 'the second attempt', () => jobs.length === 2);
  expect(jobs[1]?.command.at(-1)).toMatch(/--resume=.*step-400$/);
});

it.each([
  ['/relaunch', 'another attempt is being launched'],
  ['/handoff @ada', 'another attempt is being launched'],
  ['/stop', 'no job of this run is running, the order and the approvals are revoked, and no other attempt follows'],
])('%s between attempts is answered with the current state: %s', async (line, words) => {
  const play = await ordered();
  expect(await answerTo(play, line)).toContain(words);
});
