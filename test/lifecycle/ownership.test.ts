/** A person owns the watch of a run: offer, acceptance, end at a requested point, and acknowledgement. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Person } from '../../packages/playground/world/seed.ts';
import { isLive } from '../../src/domain/logbook/job-state.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes, postedEvents } from '../support/recorded.ts';
import {
  HOUR,
  listAnswersTo,
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

/** 1,200 steps in four hours. */
const LONG = { ...SHORT_FERRY, durationMs: 4 * HOUR };

type Running = { readonly run: string; readonly pull: number; readonly issue: number };

/** A ferry that mira approved and that is being watched. */
async function runningFerry(options: VirtualLabOptions = {}): Promise<Running> {
  lab = await openVirtualLab({ ferry: LONG, sweepMs: 10 * MINUTE, ...options });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull, proposed.run);
  await untilState(lab, proposed.run, (state) => state.observation?.step != null, { stepMs: 30_000 });
  return proposed;
}

/** Account ids of the seeded lab are assigned in the order of its people. */
async function idOfMira(): Promise<number> {
  lab = await openVirtualLab({});
  const mira = Object.values(lab.world.state.users).find(({ login }) => login === 'mira');
  await lab.close();
  return mira?.id ?? 0;
}

/** Posts the comment and returns the answer's code. */
async function answered(who: Person, thread: number, words: string): Promise<string> {
  const comment = await postComment(lab, who, thread, words);
  await until(lab, `an answer to ${words}`, () => listAnswersTo(lab, comment).length > 0, { stepMs: 1_000 });
  return (await listAnswerCodes(lab, comment)).join(' ');
}

const watchOf = async (run: string) => (await readState(lab, run))?.watch;
const watchEnds = (run: string): Promise<void> =>
  until(lab, 'the end of the watch', async () => (await watchOf(run))?.ended != null, {
    stepMs: MINUTE,
    limitMs: 2 * HOUR,
  });
const mentioned = (text: string | undefined): readonly string[] =>
  text?.replaceAll(/`[^`]*`/g, '').match(/(?<!\w)@[\w-]+/g) ?? [];
const cardOf = (run: string): string =>
  listBotComments(lab).find((one) => one.kind === 'card' && one.run === run)?.text ?? '';

/** The engine was restarted and no longer knows the job. */
async function losesTheCluster(run: string): Promise<void> {
  lab.engine.forgetEverything();
  await until(lab, 'an incident', async () => ((await readState(lab, run))?.incidents.length ?? 0) > 0);
  await lab.clock.advance(MINUTE);
}

describe('the watch of a run', () => {
  // threat T134
  it('belongs to the approver until another person accepts the handoff, which lists job, status and links', async () => {
    const { run, pull, issue } = await runningFerry();
    expect(cardOf(run)).toContain('Owner: mira owns the watch');
    const offered = await postComment(lab, 'mira', pull, '/handoff @ada');
    const [offer] = listAnswersTo(lab, offered);
    const job = (await readState(lab, run))?.submission;
    expect(mentioned(offer)).toEqual(['@ada']);
    for (const part of [job?.jobId, job?.cluster, 'Training: ', '`~', 'no incident', `issue #${issue}`])
      expect(offer).toContain(part);
    expect((await watchOf(run))?.owner).toBeNull();

    expect(await answered('mira', pull, '/accept')).toBe('accept-not-yours');
    expect((await watchOf(run))?.owner).toBeNull();
    expect(await answered('ada', pull, '/accept')).toBe('accepted');
    expect((await watchOf(run))?.owner?.login).toBe('ada');
    await losesTheCluster(run);
    const [page, ...others] = listBotTexts(lab, 'notice').filter((text) => text.includes('needs a person'));
    expect(others).toEqual([]);
    expect(mentioned(page)).toEqual(['@ada']);
  });

  it('stays with its owner if nobody accepts the handoff in time, and people on call are mentioned', async () => {
    const mira = await idOfMira();
    const { run, pull } = await runningFerry({ config: (text) => text.replace('inCharge: []', `inCharge: [${mira}]`) });
    await answered('mira', pull, '/handoff @ada');
    await lab.clock.advance(50 * MINUTE);
    expect((await watchOf(run))?.offer?.state).toBe('offered');
    await lab.clock.advance(25 * MINUTE);
    expect((await watchOf(run))?.offer?.state).toBe('expired');
    expect(await postedEvents(lab, 'incident')).toEqual(['handoff-unanswered']);
    expect((await postedEvents(lab, 'notice')).filter((code) => code === 'incident')).toHaveLength(1);
    expect(await answered('ada', pull, '/accept')).toBe('accept-too-late');
    expect((await watchOf(run))?.owner).toBeNull();
  });

  // threat T145
  it('can be handed over or ended only by its owner or an approver, and accepted only by a permitted user', async () => {
    const { run, pull } = await runningFerry();
    for (const words of ['/handoff @ada', '/stop-watching', '/until step=900'])
      expect(await answered('ada', pull, words)).toBe('watch-not-yours');
    expect(await answered('mira', pull, '/handoff @nobody-here')).toBe('handoff-not-theirs');
    expect(await answered('sol', pull, '/accept')).toBe('not-permitted');
    expect(await watchOf(run)).toEqual({ owner: null, offer: null, plannedEnd: null, ended: null });
  });

  // rule ML-16
  it('ends at the requested step with a summary, and the job continues', async () => {
    const { run, pull } = await runningFerry();
    expect(await answered('mira', pull, '/until time=1969-12-31T23:59:59Z')).toBe('point-past');
    expect(await answered('mira', pull, '/until step=400')).toBe('until-set');
    await watchEnds(run);
    const state = await readState(lab, run);
    expect(state?.end).toBeNull();
    expect(state?.observation?.step).toBeGreaterThanOrEqual(400);
    expect(state?.watch.ended).toMatchObject({ cause: 'step', attempt: 1 });
    const [summary] = listBotTexts(lab, 'notice').filter((text) => text.includes('The watch of'));
    expect(summary).toContain('step 400 is reached, as mira requested');
    expect(summary).toContain('**The job continues.**');
    expect(summary).toContain(`local job \`${state?.submission?.jobId}\``);
    expect(mentioned(summary)).toEqual(['@mira']);
    expect(cardOf(run)).toContain('**Wanted: `/ack`');
  });

  it('ends within a minute of the requested time', async () => {
    const { run, pull } = await runningFerry();
    const at = new Date(lab.clock.now() + 20 * MINUTE).toISOString().slice(0, 16);
    await answered('mira', pull, `/until time=${at.slice(11)}`);
    await until(lab, 'the end of the watch', async () => (await watchOf(run))?.ended != null, { stepMs: 10_000 });
    const ended = (await watchOf(run))?.ended;
    expect(ended?.cause).toBe('time');
    expect(Date.parse(ended?.at ?? '') - Date.parse(`${at}:00Z`)).toBeLessThan(MINUTE);
  });

  // rule ML-04
  it('needs an /ack after it ended, and its owner is reminded first', async () => {
    const { run, pull } = await runningFerry({
      ferry: { ...LONG, durationMs: 12 * HOUR },
      config: (text) => text.replace(/everyHours: \d+/, 'everyHours: 1'),
    });
    expect(await answered('mira', pull, '/stop-watching reason="I look by hand"')).toBe('watch-stopped');
    await lab.clock.advance(1.5 * HOUR);
    const reminders = () => listBotTexts(lab, 'notice').filter((text) => text.includes('this was not acknowledged'));
    expect(reminders().map(mentioned)).toEqual([['@mira']]);
    expect(await answered('ada', pull, '/ack')).toBe('watch-end-taken');
    await lab.clock.advance(1.5 * HOUR);
    expect(reminders()).toHaveLength(1);
    expect((await readState(lab, run))?.end).toBeNull();
  });

  it('that has ended restarts nothing until a person posts /relaunch', async () => {
    let started = 0;
    const { run, pull } = await runningFerry({
      script: () => {
        started += 1;
        const died = { step: 600, line: 'This TPU slice was preempted by the cloud', exitCode: 1 };
        return ferryScript({ ...SHORT_FERRY, durationMs: 2 * HOUR, failAt: started === 1 ? died : null });
      },
    });
    await answered('mira', pull, '/until step=300');
    await watchEnds(run);
    await until(lab, 'the end of the job', async () => (await readState(lab, run))?.end != null);
    await lab.clock.advance(2 * HOUR);
    const state = await readState(lab, run);
    expect(state?.end).toMatchObject({ status: 'FAILED', diagnosis: { class: 'preempted' } });
    expect(state?.incidents).toEqual([]);
    expect(lab.engine.startCount()).toBe(1);

    expect(await answered('mira', pull, '/relaunch')).toBe('relaunch-asked');
    await until(lab, 'attempt 2', async () => (await readState(lab, run))?.submission?.attempt === 2);
    expect(await watchOf(run)).toMatchObject({ plannedEnd: null, ended: null });
  });

  it("that has ended raises no alarms, but the job's end is posted", async () => {
    const line = 'OSError: [Errno 28] No space left on device';
    const { run, pull } = await runningFerry({ ferry: { ...SHORT_FERRY, failAt: { step: 600, line, exitCode: 1 } } });
    await answered('mira', pull, '/stop-watching');
    await until(lab, 'the end of the job', async () => (await readState(lab, run))?.end != null);
    await lab.clock.advance(5 * MINUTE);
    expect((await readState(lab, run))?.end?.signatures).toEqual(['disk-full']);
    expect((await readState(lab, run))?.incidents).toEqual([]);
    expect(listBotTexts(lab, 'ended')[0]).toMatch(/Attempt 1 of `[^`]+` has ended: FAILED/);
  });

  it('that has ended leaves the job stoppable, and its lane stays blocked until the job ends', async () => {
    const { run, pull } = await runningFerry();
    await answered('mira', pull, '/stop-watching');
    await lab.clock.advance(HOUR);
    expect(await answered('mira', pull, '/until step=900')).toBe('not-now');
    const state = await readState(lab, run);
    expect(state?.end).toBeNull();
    expect(state === null ? false : isLive(state)).toBe(true);
    await answered('ada', pull, '/stop');
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 10_000 });
    expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
  });

  it('that has ended is resumed by a /watch from a person who may end it', async () => {
    const line = 'OSError: [Errno 28] No space left on device';
    const { run, pull } = await runningFerry({
      ferry: { ...SHORT_FERRY, durationMs: HOUR, failAt: { step: 1_000, line, exitCode: 1 } },
    });
    expect(await answered('mira', pull, '/watch')).toBe('not-now');
    await answered('mira', pull, '/stop-watching');
    expect(await answered('ada', pull, '/watch')).toBe('watch-not-yours');
    expect((await watchOf(run))?.ended).not.toBeNull();
    expect(await answered('mira', pull, '/watch')).toBe('watch-resumed');
    expect((await watchOf(run))?.ended).toBeNull();
    await until(lab, 'the end of the job', async () => (await readState(lab, run))?.end != null);
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.incidents.map(({ code }) => code)).toContain('failure-signature');
  });
});
