/** A lab with two ferry lanes in its config: each has its own runs, history, schedule and holds. */

import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { limits } from '../../src/domain/limits.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { twoLanes } from '../support/lanes.ts';
import { memoryVersions } from '../support/memory-versions.ts';
import { approve, finish, readEventsOf, readState, seal, until, untilState } from '../support/play.ts';
import { commentAndReadCode } from '../support/recorded.ts';
import {
  holdJobs,
  listBotTexts,
  listRepeatedComments,
  openExperiment,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

const today = (): string => new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
const runIn = (lane: string): string => `ferry-${lane}-${today()}`;

/** Runs the scheduled workflow once, and waits until the gates of these lanes' runs are evaluated. */
async function proposedIn(...lanes: readonly string[]): Promise<readonly { run: string; pull: number }[]> {
  await lab.dispatchDaily();
  const proposed = [];
  for (const run of lanes.map(runIn)) {
    await until(lab, `gates of ${run}`, async () => (await readState(lab, run))?.gate?.digest != null);
    proposed.push({ run, pull: (await readState(lab, run))?.proposal.pull ?? 0 });
  }
  return proposed;
}

describe('two lanes', () => {
  it('are proposed, launched and watched in parallel, with separate histories', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const [daily, canary] = await proposedIn('daily', 'canary');
    if (daily === undefined || canary === undefined) throw new Error('two were asked for');
    expect(daily.pull).not.toBe(canary.pull);
    for (const { run, pull } of [daily, canary]) await approve(lab, 'mira', pull, run);
    const live = async (run: string): Promise<boolean> => {
      const state = await readState(lab, run);
      return state !== null && state.submission !== null && state.end === null;
    };
    await until(lab, 'both jobs', async () => (await live(daily.run)) && (await live(canary.run)), { stepMs: 5_000 });
    for (const { run } of [daily, canary]) await finish(lab, run);
    const observed = async (run: string): Promise<number> =>
      (await readEventsOf(lab, run)).filter(({ type }) => type === 'observed').length;
    expect(await observed(daily.run)).toBeGreaterThan(0);
    expect(await observed(canary.run)).toBeGreaterThan(0);
    const issue = (await readState(lab, daily.run))?.proposal.issue ?? 0;
    await seal(lab, daily.run, issue);
    // The last mark of the run says that it is over; no other mark does.
    const marks = await memoryVersions(() => lab.store).tagTexts(['ferrybot-mark-']);
    const last = marks.filter(({ message }) => message.includes('"isComplete":true'));
    expect(last.map(({ name }) => name)).toEqual([expect.stringContaining(daily.run)]);
    await lab.clock.advance(DAY);

    // The canary has ended but is not sealed. The daily lane continues with its own history.
    const [next] = await proposedIn('daily');
    expect((await readState(lab, next?.run ?? ''))?.proposal.interval.lastRun).toBe(daily.run);
    expect(await readState(lab, runIn('canary'))).toBeNull();
  });

  it('are held separately, and a /hold without a lane is answered with a question', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const [daily, canary] = await proposedIn('daily', 'canary');
    const heldBy = async (run = ''): Promise<string | undefined> =>
      (await readState(lab, run))?.gate?.verdicts.find(({ gate }) => gate === 'not-held')?.code;
    const issue = await openExperiment(lab);
    expect(await commentAndReadCode(lab, 'mira', issue, '/hold reason="bad node"')).toBe('lane-unclear');
    expect(await commentAndReadCode(lab, 'mira', issue, '/hold reason="bad node" lane=hourly')).toBe('lane-unclear');
    expect(await commentAndReadCode(lab, 'mira', issue, '/hold reason="bad node" lane=canary')).toBe('held');
    expect([await heldBy(daily?.run), await heldBy(canary?.run)]).toEqual(['free', 'held']);
    expect(await commentAndReadCode(lab, 'mira', canary?.pull ?? 0, '/unhold lane=canary')).toBe('unheld');
    expect(await commentAndReadCode(lab, 'mira', daily?.pull ?? 0, '/hold date=2026-11-21 reason="maintenance"')).toBe(
      'held',
    );
    expect([await heldBy(daily?.run), await heldBy(canary?.run)]).toEqual(['held', 'free']);
    await approve(lab, 'mira', canary?.pull ?? 0, canary?.run);
    await finish(lab, canary?.run ?? '');
    expect((await readState(lab, daily?.run ?? ''))?.order).toBeNull();
  });

  it('each accept /propose if the command or its thread names the lane', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const issue = await openExperiment(lab);
    expect(await commentAndReadCode(lab, 'ada', issue, '/propose')).toBe('lane-unclear');
    expect(await commentAndReadCode(lab, 'ada', issue, '/propose lane=canary')).toBe('proposed');
    expect(await readState(lab, runIn('daily'))).toBeNull();
    const { pull } = (await readState(lab, runIn('canary')))?.proposal ?? { pull: 0 };
    await until(lab, 'the line', () => requireApprovalLine(lab, runIn('canary')) !== '');
    expect(await commentAndReadCode(lab, 'mira', pull, '/propose')).toBe('proposed');
  });

  it('follow their own schedules', async () => {
    // The virtual day is a Saturday.
    const schedule = 'schedule: { days: [mon, sun], notBefore: "06:30" }';
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes(schedule) });
    await proposedIn('daily');
    await lab.clock.advance(10 * MINUTE);
    expect(await readState(lab, runIn('canary'))).toBeNull();
    const untilMs = (hours: number, minutes: number): number =>
      Date.parse(`${new Date(lab.clock.now() + DAY).toISOString().slice(0, 10)}T00:00:00Z`) +
      (hours * 60 + minutes) * MINUTE -
      lab.clock.now();
    await lab.clock.advance(untilMs(6, 10));
    await lab.dispatchDaily();
    await lab.clock.advance(10 * MINUTE);
    expect(await readState(lab, runIn('canary'))).toBeNull();
    await lab.clock.advance(20 * MINUTE);
    await proposedIn('canary');
  });

  it("are held separately, even by a command in the other lane's thread before its launch", async () => {
    const door = holdJobs('launch');
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes(), beforeJob: door.beforeJob });
    const [daily] = await proposedIn('daily', 'canary');
    if (daily === undefined) throw new Error('two were asked for');
    await approve(lab, 'mira', daily.pull, daily.run);
    await until(lab, 'the launch', () => door.waiting() > 0, { stepMs: 5_000 });
    expect(await commentAndReadCode(lab, 'mira', daily.pull, '/hold lane=canary reason="bad node"')).toBe('held');
    door.letGo();
    await finish(lab, daily.run);
  });

  // threat T20
  it('do not hide each other: a job can be stopped after many proposals in the other lane', async () => {
    const ferry = { ...SHORT_FERRY, durationMs: 20 * HOUR };
    lab = await openVirtualLab({ ferry, config: twoLanes(), startMs: Date.UTC(2026, 10, 21, 20) });
    const [daily, canary] = await proposedIn('daily', 'canary');
    if (daily === undefined || canary === undefined) throw new Error('two were asked for');
    await approve(lab, 'mira', canary.pull, canary.run);
    await until(lab, 'the job', async () => (await readState(lab, canary.run))?.submission != null);
    let thread = daily.pull;
    const another = async (number: number): Promise<void> => {
      const run = number === 1 ? runIn('daily') : `${runIn('daily')}-${number}`;
      await postComment(lab, 'ada', thread, `/propose learning_rate=0.00${number}1`);
      await until(lab, run, async () => (await readState(lab, run)) !== null, { stepMs: 10_000 });
      thread = (await readState(lab, run))?.proposal.pull ?? 0;
    };
    const most = limits.proposalsPerDayMax;
    for (let number = 2; number <= most; number += 1) await another(number);
    await lab.clock.advance(4 * HOUR);
    for (let number = 1; number <= limits.runsReadMax - most; number += 1) await another(number);
    expect(await commentAndReadCode(lab, 'mira', canary.pull, '/stop')).toBe('stop-requested');
    expect((await readState(lab, canary.run))?.end?.status).toBe('STOPPED');
  });
});

describe('a lane that is removed from the config', () => {
  /** Removes the second lane on the default branch; returns the config from before. */
  async function takeOutTheCanary(): Promise<string> {
    const both = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
    const one = both.replace(/^ {2}canary:\n(?: {4}.*\n|\n(?= {4}))*/m, '');
    expect(one).not.toBe(both);
    await pushFile(lab, 'mira', 'main', CONFIG_PATH, one);
    await lab.clock.advance(5 * MINUTE);
    return both;
  }

  it('launches nothing until it is restored, and the gate gives the reason', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const [daily, canary] = await proposedIn('daily', 'canary');
    if (daily === undefined || canary === undefined) throw new Error('two were asked for');
    await until(lab, 'the line', () => requireApprovalLine(lab, canary.run) !== '');
    const line = requireApprovalLine(lab, canary.run);
    const both = await takeOutTheCanary();
    const found = async (run: string) =>
      (await readState(lab, run))?.gate?.verdicts.find(({ gate }) => gate === 'config-valid')?.code;
    expect([await found(daily.run), await found(canary.run)]).toEqual(['valid', 'lane-gone']);
    await commentAndReadCode(lab, 'mira', canary.pull, '/why');
    const why = listBotTexts(lab, 'answer').at(-1);
    expect(why).toContain('put the lane back on the default branch');
    expect(why).not.toContain('`run-name-dated`');
    await commentAndReadCode(lab, 'mira', canary.pull, line);
    await lab.clock.advance(HOUR);
    expect(await readState(lab, canary.run)).toMatchObject({ order: null });
    await pushFile(lab, 'mira', 'main', CONFIG_PATH, both);
    await lab.clock.advance(5 * MINUTE);
    expect(await found(canary.run)).toBe('valid');
    await approve(lab, 'mira', canary.pull, canary.run);
    await finish(lab, canary.run);
  });

  it('still has its running job watched, stopped on command, and sealed', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const [, canary] = await proposedIn('daily', 'canary');
    if (canary === undefined) throw new Error('two were asked for');
    await approve(lab, 'mira', canary.pull, canary.run);
    await untilState(lab, canary.run, (state) => state.submission != null, { stepMs: 5_000 });
    await takeOutTheCanary();
    const looks = async (): Promise<number> =>
      (await readEventsOf(lab, canary.run)).filter(({ type }) => type === 'observed').length;
    const before = await looks();
    await lab.clock.advance(HOUR / 6);
    expect(await looks()).toBeGreaterThan(before);
    await postComment(lab, 'mira', canary.pull, '/stop');
    await until(lab, 'its end', async () => (await readState(lab, canary.run))?.end != null, { stepMs: 5_000 });
    expect((await readState(lab, canary.run))?.end).toMatchObject({ status: 'STOPPED' });
    await commentAndReadCode(lab, 'mira', canary.pull, '/seal accept="the curve is clear"');
    expect((await readState(lab, canary.run))?.seal).not.toBeNull();
  });
});
