/**
 * The history of a lane: a table on request in any thread, and an issue for the lane with a table and a
 * chart.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { playFerry, propose, readState, until } from '../support/play.ts';
import { DAY, HOUR, listAnswersTo, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

/** The next morning at six. */
async function nextMorning(): Promise<void> {
  await lab.clock.skip(Math.ceil(lab.clock.now() / DAY) * DAY + 6 * HOUR - lab.clock.now());
}

async function dailyWorkflow(): Promise<void> {
  await lab.dispatchDaily();
  await lab.clock.advance(10 * MINUTE);
}

const rowsIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('| `ferry-'));

async function answerTo(thread: number, words: string): Promise<string> {
  const said = await postComment(lab, 'mira', thread, words);
  await lab.clock.advance(MINUTE);
  const [answer = '', ...more] = listAnswersTo(lab, said);
  expect(more).toEqual([]);
  return answer;
}

/** The issues with a lane's history: number and text. */
const historyIssues = (): readonly { readonly number: number; readonly body: string }[] =>
  Object.values(lab.world.state.issues)
    .filter(({ body }) => body.includes('kind=issue key=lane-daily'))
    .map(({ number, body }) => ({ number, body }));

describe('/status lane=', () => {
  it("lists the lane's last ferries with knob, verdict, metrics, cost and links", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const first = await playFerry(lab);
    await nextMorning();
    const second = await propose(lab);
    const answer = await answerTo(second.pull, '/status lane=daily');
    const [newest = '', oldest = '', ...more] = rowsIn(answer);
    expect(more).toEqual([]);
    expect(newest).toContain(`| \`${second.run}\` |`);
    expect(newest).toContain('| open |');
    expect(oldest).toMatch(/\| `learning_rate` `3e-3` to `2\.5e-3` \|.*\| pass \(SUCCEEDED\) \|/);
    expect(oldest).toContain(`#${first.issue}, #${first.pull}`);
    expect(oldest).toContain('eval/');
    expect(answer).toContain('| Accelerator-hours |');
    expect(oldest).toContain('| 0.01 |');
  });

  it('is answered in an unrelated thread, but only for collaborators', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run } = await playFerry(lab);
    const opened = await lab.as('ada', 'POST', '/issues', { title: 'A question', body: 'How is it going?' });
    const { number } = opened as { number: number };
    expect(rowsIn(await answerTo(number, '/status lane=daily'))).toEqual([expect.stringContaining(`\`${run}\``)]);
    const stranger = await postComment(lab, 'sol', number, '/status lane=daily');
    await lab.clock.advance(MINUTE);
    expect(listAnswersTo(lab, stranger)).toEqual([]);
  });

  it('reports an unknown lane; without lane=, /status describes the run', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { pull } = await propose(lab);
    expect(await answerTo(pull, '/status lane=dayly')).toContain('this lab has no lane `dayly`');
    expect(await answerTo(pull, '/status')).toContain('this is the state of the run.');
  });
});

describe('the issue of a lane', () => {
  it('shows table, chart and cost, and is updated by the daily workflow only when something changed', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    await propose(lab);
    expect(historyIssues()).toEqual([]);
    await playFerry(lab);
    for (let day = 0; day < 2; day += 1) {
      await nextMorning();
      await playFerry(lab);
    }
    await nextMorning();
    await dailyWorkflow();
    const [issue, ...more] = historyIssues();
    expect(more).toEqual([]);
    expect(rowsIn(issue?.body ?? '')).toHaveLength(3);
    expect(issue?.body).toContain('xychart-beta');
    expect(issue?.body).toMatch(/\| 2026-11 \| 3 \| /);
    const before = lab.usage.contentWrites;
    await dailyWorkflow();
    expect(historyIssues()).toEqual([issue]);
    expect(lab.usage.contentWrites - before).toBe(0);
  });
});

describe('a weekly cost budget', () => {
  it('blocks a run that would exceed it, shows what was spent, and lets the run pass in the next week', async () => {
    const budget = "    costBudget: { maxAcceleratorHours: '0.01', perWeek: '0.02' }\n";
    lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      // The first day is a Friday, so that the fourth is in another week.
      startMs: Date.UTC(2026, 10, 20, 6),
      config: (text) => text.replace(/^ {4}costBudget: .*\n/m, budget),
    });
    for (let day = 0; day < 2; day += 1) {
      await playFerry(lab);
      await nextMorning();
    }
    await lab.dispatchDaily();
    const run = 'ferry-daily-20261122';
    await until(lab, 'the gates', async () => (await readState(lab, run))?.gate != null);
    const gate = async () =>
      (await readState(lab, run))?.gate?.verdicts.find((verdict) => verdict.gate === 'cost-budget');
    expect(await gate()).toMatchObject({
      outcome: 'fail',
      code: 'over-period',
      found: { cost: '0.01', spent: '0.02', most: '0.02', period: 'week', from: '2026-11-16' },
    });
    const pull = (await readState(lab, run))?.proposal.pull ?? 0;
    expect(await answerTo(pull, '/why')).toContain(
      'change the budget in the config, reduce the cost of the run, or wait for the next period',
    );
    await nextMorning();
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    expect(await gate()).toMatchObject({ outcome: 'pass', code: 'within' });
  });
});
