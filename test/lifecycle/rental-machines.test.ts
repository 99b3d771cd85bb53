/** A rental and its machine over hours, at the pace that a lane of rentals has unless it says otherwise. */

import { expect, it } from 'vitest';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, stateOf, until } from '../support/play.ts';
import { openIssue, openRentalLab, runOf } from '../support/rental.ts';
import { rentMachines } from '../support/rented-machines.ts';
import { SHORT_FERRY, say, told } from '../support/talk.ts';

const HOUR = 60 * 60_000;
const MINUTE = 60_000;
const HOURS = { ...SHORT_FERRY, runName: 'rental_2026-11-21', durationMs: 1.5 * HOUR };
const RENT = '/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="does the long context still train?"';

/** A rental whose job says this, launched. */
async function launched(script: JobScript, command = RENT) {
  const lab = await openRentalLab([], { script: () => script });
  const machines = rentMachines(lab.engine, lab.clock.now);
  const issue = await openIssue(lab, 'ada');
  await say(lab, 'ada', issue, command);
  const run = runOf(lab, issue);
  await approve(lab, 'mira', issue, run);
  return { lab, run, issue, machines };
}

/** The same until it has ended. */
async function played(script: JobScript) {
  const open = await launched(script);
  const { lab, run } = open;
  const isOver = async (): Promise<boolean> => (await stateOf(lab, run))?.end != null;
  await until(lab, 'the end', isOver, { stepMs: MINUTE });
  await lab.clock.advance(2 * MINUTE);
  return open;
}

it('the machine of a job that makes its steps is there until the job has ended, and is told idle by nobody', async () => {
  const { lab, run, machines } = await played(ferryScript(HOURS));
  const state = await stateOf(lab, run);
  expect(state?.end).toMatchObject({ attempt: 1, status: 'SUCCEEDED' });
  expect(state?.rental.machines).toMatchObject([{ status: 'gone', tearDown: { reason: 'ended' } }]);
  expect(told(lab, 'incident').join()).not.toContain('does nothing');
  const [{ jobId = '', endedAtMs = null } = {}] = machines.made;
  expect((endedAtMs ?? 0) - ((await machines.jobEndedAtMs(jobId)) ?? 0)).toBeLessThanOrEqual(10 * MINUTE);
  await lab.close();
});

it('that of one that hangs is gone before it has idled for longer than was approved', async () => {
  const { lab, run, machines } = await played(ferryScript({ ...HOURS, hangAt: 600 }));
  const { rental = null } = (await stateOf(lab, run)) ?? {};
  expect(rental?.machines[0]).toMatchObject({ tearDown: { reason: 'idle' } });
  const [{ atMs = 0, endedAtMs = null } = {}] = machines.made;
  const hungAtMs = atMs + MINUTE + (600 / 1_200) * (HOURS.durationMs - MINUTE);
  expect(((endedAtMs ?? 0) - hungAtMs) / MINUTE).toBeGreaterThan(5);
  expect(((endedAtMs ?? 0) - hungAtMs) / MINUTE).toBeLessThanOrEqual(30);
  await lab.close();
});
