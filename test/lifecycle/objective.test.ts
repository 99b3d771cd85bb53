/**
 * Labs that want to be asked for a ferry's objective: the question, its answers, and days without an answer.
 */

import { describe, expect, it } from 'vitest';
import { readEventsOf, readState, until } from '../support/play.ts';
import { HOUR, listAnswersTo, MINUTE, postComment, readBody, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const RUN = 'ferry-daily-20261121';
const SIX = Date.UTC(2026, 10, 21, 6);

/** The question is on by default, so its settings are removed from the config. */
const silent = (text: string): string => text.replace(/^ {4}objective(?:By|WaitMinutes)?:.*\n/gm, '');
const asking =
  (by: string, waitMinutes: number) =>
  (text: string): string =>
    silent(text).replace(
      /^ {4}memoryDays:/m,
      `    objectiveBy: '${by}'\n    objectiveWaitMinutes: ${waitMinutes}\n    memoryDays:`,
    );

async function daily(lab: VirtualLab): Promise<void> {
  await lab.dispatchDaily();
  await lab.clock.advance(2 * MINUTE);
}

function questions(lab: VirtualLab): readonly { readonly number: number; readonly state: string }[] {
  return Object.values(lab.world.state.issues)
    .filter(({ title }) => title.startsWith('What is the daily ferry of'))
    .map(({ number, state }) => ({ number, state }));
}

async function theQuestion(lab: VirtualLab): Promise<number> {
  await daily(lab);
  const [question] = questions(lab);
  if (question === undefined) throw new Error('nobody was asked');
  return question.number;
}

describe('the objective of a ferry', () => {
  // rule DF-39
  it('is asked for by default, and an answer is proposed within minutes and closes the question', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: silent });
    const issue = await theQuestion(lab);
    expect(await readState(lab, RUN)).toBeNull();
    await postComment(lab, 'ada', issue, '/propose objective="regression: eval loss since the upgrade"');
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null);
    const state = await readState(lab, RUN);
    expect(state?.proposal.objective).toEqual({ kind: 'regression', text: 'regression: eval loss since the upgrade' });
    expect(readBody(lab, state?.proposal.pull ?? 0)).not.toContain('Nobody');
    await until(lab, 'the end of the question', () => questions(lab)[0]?.state === 'closed');
    await lab.clock.advance(4 * HOUR);
    expect(await readState(lab, `${RUN}-2`)).toBeNull();
    await lab.close();
  });

  it('becomes the normal integration check if nobody answers in time, and the proposal shows this', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: asking('09:00', 60) });
    const issue = await theQuestion(lab);
    expect(readBody(lab, issue)).toContain('No earlier ferry is on record.');
    expect(readBody(lab, issue)).toContain('until 09:00 UTC');
    await daily(lab);
    await lab.clock.advance(SIX + 2.9 * HOUR - lab.clock.now());
    expect(await readState(lab, RUN)).toBeNull();
    expect(questions(lab)).toEqual([{ number: issue, state: 'open' }]);
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null, { limitMs: HOUR });
    const state = await readState(lab, RUN);
    expect(state?.proposal.objective.kind).toBe('integration');
    const said = `Nobody answered #${issue} by 09:00 UTC`;
    expect(readBody(lab, state?.proposal.pull ?? 0)).toContain(said);
    expect(readBody(lab, state?.proposal.issue ?? 0)).toContain(said);
    await until(lab, 'the end of the question', () => questions(lab)[0]?.state === 'closed');
    await lab.clock.advance(6 * HOUR);
    expect(await readState(lab, `${RUN}-2`)).toBeNull();
    const asked = (await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'objective-asked');
    expect(asked.map(({ data }) => data)).toEqual([
      expect.objectContaining({ lane: 'daily', issue, state: 'open', until: '2026-11-21T09:00:00.000Z' }),
      expect.objectContaining({ lane: 'daily', issue, state: 'unanswered' }),
    ]);
    await lab.close();
  });

  it('can be answered for the configured minutes if the question is posted after the deadline', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: asking('05:00', 30) });
    const issue = await theQuestion(lab);
    await lab.clock.advance(20 * MINUTE);
    expect(await readState(lab, RUN)).toBeNull();
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null, { limitMs: HOUR });
    const pull = (await readState(lab, RUN))?.proposal.pull ?? 0;
    expect(readBody(lab, pull)).toMatch(new RegExp(`Nobody answered #${issue} by 06:3\\d UTC`));
    await lab.close();
  });

  it('is not asked for if the day is almost over, and the proposal shows this', async () => {
    const config = asking('09:00', 60);
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config, startMs: SIX + 17.5 * HOUR });
    await daily(lab);
    expect(questions(lab)).toEqual([]);
    const pull = (await readState(lab, RUN))?.proposal.pull ?? 0;
    expect(readBody(lab, pull)).toContain('Nobody was asked');
    await lab.close();
  });

  it('defaults at the deadline in a lab without a server too, through the sweep of the chat workflow', async () => {
    const config = asking('09:00', 60);
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config, server: false });
    await theQuestion(lab);
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null, { limitMs: 4 * HOUR });
    expect(lab.clock.now()).toBeGreaterThanOrEqual(SIX + 3 * HOUR);
    await lab.close();
  });

  it("is not needed after a /hold of the day in the question's thread, and no ferry is proposed", async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: asking('09:00', 60) });
    const issue = await theQuestion(lab);
    const skip = await postComment(lab, 'mira', issue, '/hold date=2026-11-21 reason="maintenance"');
    await until(lab, 'the answer', () => listAnswersTo(lab, skip).length > 0);
    await until(lab, 'the end of the question', () => questions(lab)[0]?.state === 'closed');
    await lab.clock.advance(HOUR);
    expect(await readState(lab, RUN)).toBeNull();
    await lab.close();
  });

  it('costs at most two more writes and four more requests than no question', async () => {
    const spent = async (config: (text: string) => string): Promise<Record<string, number>> => {
      const lab = await openVirtualLab({ ferry: SHORT_FERRY, config });
      await lab.dispatchDaily();
      await lab.clock.advance(SIX + 1.5 * HOUR - lab.clock.now());
      expect((await readState(lab, RUN))?.shown).not.toBeNull();
      const { rest, graphql, contentWrites } = lab.usage;
      await lab.close();
      return { requests: rest + graphql, contentWrites };
    };
    const [asked, unasked] = [await spent(asking('06:10', 5)), await spent((text) => text)];
    expect((asked['contentWrites'] ?? 0) - (unasked['contentWrites'] ?? 0)).toBeLessThanOrEqual(2);
    expect((asked['requests'] ?? 0) - (unasked['requests'] ?? 0)).toBeLessThanOrEqual(4);
  });
});
