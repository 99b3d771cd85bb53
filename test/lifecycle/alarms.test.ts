/** What goes wrong while a job is said to run is told in the thread, once, with why; and the card says how fast it goes. */

import { expect, it } from 'vitest';
import { incidentsWith } from '../../src/domain/incidents.ts';
import { approve, propose, stateOf, until } from '../support/play.ts';
import { SHORT_FERRY, told } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

const TWO_HOURS = { ...SHORT_FERRY, durationMs: 120 * 60_000 };

it('a job that hangs is told of once, with its step and for how long', async () => {
  const lab = await openVirtualLab({ ferry: { ...TWO_HOURS, hangAt: 500 } });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the end', async () => (await stateOf(lab, run))?.end != null, { stepMs: 60_000 });
  const alarms = incidentsWith((await stateOf(lab, run))?.incidents ?? [], 'run-alarm');
  const comments = told(lab, 'incident');
  await lab.close();
  expect(alarms.map(({ detail }) => detail.detector)).toEqual(['stalled-steps']);
  expect(comments).toEqual([expect.stringContaining('**The run shows signs of trouble**')]);
  expect(comments[0]).toMatch(
    /`stalled-steps`: the engine says RUNNING, and for \d+ min no look has seen a step/,
  );
});

it('a job that goes well raises no alarm, and its card says how fast it is and how long it will take', async () => {
  const lab = await openVirtualLab({ ferry: TWO_HOURS });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'half of it', async () => ((await stateOf(lab, run))?.observation?.step ?? 0) > 500, {
    stepMs: 60_000,
  });
  const { observation } = (await stateOf(lab, run)) ?? {};
  const [card] = told(lab, 'card').slice(-1);
  await until(lab, 'the end', async () => (await stateOf(lab, run))?.end != null, { stepMs: 60_000 });
  const alarms = incidentsWith((await stateOf(lab, run))?.incidents ?? [], 'run-alarm');
  await lab.close();
  expect(observation).toMatchObject({ totalSteps: 1_200, pace: { secondsPerStep: expect.any(String) } });
  expect(card).toMatch(
    /`~\d+\/1200`, [\d.]+ (?:s a step|steps\/s), about (?:\d+ h )?\d+ min to go, the engine says RUNNING/,
  );
  expect(alarms).toEqual([]);
});
