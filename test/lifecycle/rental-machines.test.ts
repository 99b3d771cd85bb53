/** A rental and its machine over hours, with the default intervals of a rental lane. */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, logbookText, readState, until } from '../support/play.ts';
import { openIssue, openRentalLab, rentalRunName } from '../support/rental.ts';
import { rentMachines } from '../support/rented-machines.ts';
import { HOUR, listBotTexts, MINUTE, postComment, pushFile, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';

const HOURS = { ...SHORT_FERRY, runName: 'rental_2026-11-21', durationMs: 1.5 * HOUR };
const RENT = '/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="does the long context still train?"';

/** A launched rental with this job. */
async function launched(script: JobScript, command = RENT, options: VirtualLabOptions = {}) {
  const lab = await openRentalLab([], { script: () => script, ...options });
  const machines = rentMachines(lab.engine, lab.clock.now);
  const issue = await openIssue(lab, 'ada');
  await postComment(lab, 'ada', issue, command);
  const run = rentalRunName(lab, issue);
  await approve(lab, 'mira', issue, run);
  return { lab, run, issue, machines };
}

/** The same, until it has ended. */
async function played(script: JobScript) {
  const open = await launched(script);
  const { lab, run } = open;
  const isOver = async (): Promise<boolean> => (await readState(lab, run))?.end != null;
  await until(lab, 'the end', isOver, { stepMs: MINUTE });
  await lab.clock.advance(2 * MINUTE);
  return open;
}

it('the machine of a progressing job is kept until the job ends, and no incident reports it as idle', async () => {
  const { lab, run, machines } = await played(ferryScript(HOURS));
  const state = await readState(lab, run);
  expect(state?.end).toMatchObject({ attempt: 1, status: 'SUCCEEDED' });
  expect(state?.rental.machines).toMatchObject([{ status: 'gone', tearDown: { reason: 'ended' } }]);
  expect(listBotTexts(lab, 'incident').join()).not.toContain('does nothing');
  const [{ jobId = '', endedAtMs = null } = {}] = machines.made;
  expect((endedAtMs ?? 0) - ((await machines.jobEndedAtMs(jobId)) ?? 0)).toBeLessThanOrEqual(10 * MINUTE);
  await lab.close();
});

it('the machine of a hanging job is destroyed before it idles longer than approved', async () => {
  const { lab, run, machines } = await played(ferryScript({ ...HOURS, hangAt: 600 }));
  const { rental = null } = (await readState(lab, run)) ?? {};
  expect(rental?.machines[0]).toMatchObject({ tearDown: { reason: 'idle' } });
  const [{ atMs = 0, endedAtMs = null } = {}] = machines.made;
  const hungAtMs = atMs + MINUTE + (600 / 1_200) * (HOURS.durationMs - MINUTE);
  expect(((endedAtMs ?? 0) - hungAtMs) / MINUTE).toBeGreaterThan(5);
  expect(((endedAtMs ?? 0) - hungAtMs) / MINUTE).toBeLessThanOrEqual(30);
  await lab.close();
});

/** Pushes an invalid line. */
async function pushJunk(lab: VirtualLab, run: string): Promise<void> {
  const text = await logbookText(lab, run);
  await pushFile(lab, 'ada', 'ferrybot/logbook', `runs/2026/11/${run}/events.jsonl`, `${text}junk\n`);
}

describe('the machine of a run with an invalid line in its record', () => {
  // threat T15
  it('is kept after /keep, and destroyed before the run costs more than approved', async () => {
    const { lab, run, issue, machines } = await launched(
      ferryScript({ ...HOURS, durationMs: 5 * MINUTE }),
      RENT.replace('cap="3 USD"', 'cap="0.2 USD"'),
    );
    const kept = new Date(lab.clock.now() + HOUR).toISOString().slice(11, 16);
    await postComment(lab, 'ada', issue, `/keep until=${kept} reason="I look at the checkpoint"`);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
    await pushJunk(lab, run);
    await until(lab, 'an empty account', () => machines.account.list().length === 0, { stepMs: MINUTE });
    expect(machines.account.billed()).toBeGreaterThan(0.1);
    expect(machines.account.billed()).toBeLessThan(0.2);
    await lab.close();
  });

  it('is destroyed at the requested time even if every watch crashes', async () => {
    const atBoundary = (process: string, kind: string): void => {
      if (process === 'watch' && kind === 'destroy-machine') throw new Crash();
    };
    const script = ferryScript({ ...HOURS, durationMs: 5 * MINUTE });
    const { lab, run, issue, machines } = await launched(script, RENT, { atBoundary });
    const untilMs = lab.clock.now() + 45 * MINUTE;
    const kept = new Date(untilMs).toISOString().slice(11, 16);
    await postComment(lab, 'ada', issue, `/keep until=${kept} reason="I look at the checkpoint"`);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
    await pushJunk(lab, run);
    await until(lab, 'an empty account', () => machines.account.list().length === 0, { stepMs: MINUTE });
    expect(lab.clock.now()).toBeLessThanOrEqual(untilMs + MINUTE);
    expect(lab.clock.now()).toBeGreaterThan(untilMs - 20 * MINUTE);
    await lab.close();
  });

  it('is destroyed before it could idle longer than approved', async () => {
    const { lab, run, machines } = await launched(ferryScript(HOURS));
    await until(lab, 'a step', async () => ((await readState(lab, run))?.observation?.step ?? 0) > 0);
    await pushJunk(lab, run);
    const brokenMs = lab.clock.now();
    await until(lab, 'an empty account', () => machines.account.list().length === 0, { stepMs: MINUTE });
    expect((lab.clock.now() - brokenMs) / MINUTE).toBeGreaterThan(5);
    expect((lab.clock.now() - brokenMs) / MINUTE).toBeLessThanOrEqual(30);
    await lab.close();
  });
});
