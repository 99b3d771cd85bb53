/** Alarms of a running job are posted once, with evidence; the card shows the job's pace. */

import { expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { approve, readEventsOf as events, propose, readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { listBotTexts, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const TWO_HOURS = { ...SHORT_FERRY, durationMs: 120 * 60_000 };

/** Seconds between the observations of a run after this moment. */
async function pausesSince(lab: VirtualLab, run: string, sinceMs: number): Promise<readonly number[]> {
  const looks = (await events(lab, run)).filter(({ type, at }) => type === 'observed' && Date.parse(at) >= sinceMs);
  return looks
    .slice(1)
    .map(({ at }, index) => Math.round((Date.parse(at) - Date.parse(looks[index]?.at ?? '')) / 1_000));
}

it('observes a stalled job every two minutes until its alarm is acknowledged, and never marks its watch stale', async () => {
  const lab = await openVirtualLab({ ferry: { ...TWO_HOURS, hangAt: 300 } });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the alarm', () => listBotTexts(lab, 'incident').length > 0, { stepMs: 60_000 });
  const alarmedAt = lab.clock.now();
  const [alarm] = listBotTexts(lab, 'incident');
  expect(alarm).toMatch(/`stalled-steps`: the engine reports RUNNING, and for/);
  await lab.clock.advance(12 * 60_000);
  expect((await pausesSince(lab, run, alarmedAt)).every((seconds) => seconds >= 120 && seconds < 135)).toBe(true);
  const card = listBotTexts(lab, 'card').at(-1);
  expect(card).toContain('⚠️ **Degraded.**');
  expect(card).toContain('Open alarms: `stalled-steps`.');
  expect(card).toMatch(/\| Engine \| RUNNING \|/);
  expect(card).toMatch(/\| Watch \| next check within 2 min \|/);
  const said = await postComment(lab, 'mira', pull, '/ack');
  expect(await listAnswerCodes(lab, said)).toEqual(['incident-taken']);
  const takenAt = lab.clock.now() + 3 * 60_000;
  await lab.clock.advance(30 * 60_000);
  expect((await pausesSince(lab, run, takenAt)).every((seconds) => seconds >= 570)).toBe(true);
  const { incidents } = (await readState(lab, run)) ?? { incidents: [] };
  await lab.close();
  expect(filterIncidents(incidents, 'monitor-stale')).toEqual([]);
  const alarms = filterIncidents(incidents, 'run-alarm');
  expect(alarms.map(({ detail }) => detail.detector)).toEqual(['stalled-steps']);
});

it('raises no alarm for a healthy job, and shows its pace and remaining time on the card', async () => {
  const lab = await openVirtualLab({ ferry: TWO_HOURS });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'half of it', async () => ((await readState(lab, run))?.observation?.step ?? 0) > 500, {
    stepMs: 60_000,
  });
  const { observation } = (await readState(lab, run)) ?? {};
  const [card] = listBotTexts(lab, 'card').slice(-1);
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
  const alarms = filterIncidents((await readState(lab, run))?.incidents ?? [], 'run-alarm');
  await lab.close();
  expect(observation).toMatchObject({ totalSteps: 1_200, pace: { secondsPerStep: expect.any(String) } });
  expect(card).toMatch(
    /█*░+ \d+ %, `~\d+\/1200`, [\d.]+ (?:s a step|steps\/s), about [\d.]+ (?:s|min|h) to go, the engine reports RUNNING/,
  );
  expect(alarms).toEqual([]);
});
