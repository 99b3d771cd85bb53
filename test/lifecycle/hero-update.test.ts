/** The issue of a hero run gets one update a day while nothing else happens. */

import { expect, it } from 'vitest';
import { HERO_LANE, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readEventsOf, readState, seal, until } from '../support/play.ts';
import { listBotComments, listBotTexts, listRepeatedComments, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const HOUR_MS = 3_600_000;
const LANE = HERO_LANE.replace('pollMs: 60000', 'pollMs: 900000');

const LONG = {
  runName: RUN,
  durationMs: 54 * HOUR_MS,
  steps: 54_000,
  evalEverySteps: 54_000,
  checkpointEverySteps: 200,
};

/** Two days of training without incidents. */
function quietLab(more = '') {
  return openHeroLab({
    ferry: { ...SHORT_FERRY, ...LONG },
    config: (text) => `${text.trimEnd()}\n${LANE}${more}`,
    sweepMs: 30 * 60_000,
  });
}

/** Updates only, because the ferry lane posts notices too. */
function updates(lab: VirtualLab): readonly string[] {
  return listBotTexts(lab, 'notice').filter((text) => text.includes('**Update on '));
}

// rule HR-26
it('posts one update a day in the issue, and records each observation in the logbook', async () => {
  const lab = await quietLab();
  const issue = await openHeroIssue(lab, { answers: { 'Final step': '54000' } });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  await lab.clock.advance(53 * HOUR_MS);
  expect(listBotComments(lab).flatMap(({ kind, text }) => (kind === 'incident' ? [text] : []))).toEqual([]);
  const news = listBotComments(lab).filter(
    ({ kind, thread }) => thread === issue && !['answer', 'card'].includes(kind),
  );
  expect(news.map(({ kind }) => kind)).toEqual(['launch', 'tracker', 'notice', 'notice']);
  const [first = '', second = ''] = updates(lab);
  expect(first).toContain(`**Update on \`${RUN}\`**, 24.5 h into attempt 1.`);
  expect(second).toContain(', 2 d into attempt 1.');
  for (const text of [first, second]) {
    expect(text).toContain('✅ **Training.**');
    expect(text).toMatch(/- Newest checkpoint: step \d+00$/m);
    // An update is for followers of the run and mentions nobody.
    expect(text).not.toMatch(/@\w/);
  }
  const card = listBotTexts(lab, 'card').find((text) => text.includes(`Run \`${RUN}\``));
  for (const line of [
    'train loss, and the pre-registered one',
    'steps a second',
    'step, and its newest complete checkpoint',
  ])
    expect(card).toContain(`  y-axis "${line}" `);
  const looks = (await readEventsOf(lab, RUN)).filter(({ type }) => type === 'observed');
  expect(looks.length).toBeGreaterThan(53 * 3);
  await until(lab, 'the end', async () => (await readState(lab, RUN))?.end != null);
  await seal(lab, RUN, issue);
  await lab.clock.advance(50 * HOUR_MS);
  expect(updates(lab)).toHaveLength(2);
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

it("posts no updates if the lane's config disables them", async () => {
  const lab = await quietLab('    updateHours: null\n');
  const issue = await openHeroIssue(lab, { answers: { 'Final step': '54000' } });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  await lab.clock.advance(30 * HOUR_MS);
  expect(updates(lab)).toEqual([]);
  await lab.close();
});
