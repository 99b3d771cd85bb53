/** A second comment in the shape of ferrybot's card blocks approvals until it is deleted or hidden. */

import { describe, expect, it } from 'vitest';
import type { Person } from '../../packages/playground/world/seed.ts';
import { type Ferry, readState, until } from '../support/play.ts';
import { postedEvents } from '../support/recorded.ts';
import { approveLine, digestDigits, findCard, proposeWithCard as proposed } from '../support/shown-card.ts';
import { holdJobs, listAnswersTo, listBotTexts, postComment, pushExperiment } from '../support/talk.ts';
import type { VirtualLabOptions } from '../support/virtual-lab.ts';
import { deleteAsWorkflow, editAsWorkflow, hideAs, sayAsWorkflow } from '../support/workflow-voice.ts';

const MINUTE = 60_000;
const MODES: readonly { readonly mode: string; readonly options: VirtualLabOptions }[] = [
  { mode: 'with an App', options: {} },
  { mode: 'without an App', options: { server: false } },
];

/** ada changes the proposal; returns the earlier card with the current digest. */
async function changedBehindCard(ferry: Ferry): Promise<string> {
  const { lab, run, issue } = ferry;
  const before = findCard(lab).text;
  const old = await digestDigits(ferry);
  await pushExperiment(lab, run, (text) => `${text}# Another commit.\n`);
  await until(lab, 'the new showing', async () => {
    const { shown, gate } = (await readState(lab, run)) ?? {};
    return shown != null && shown.digest === gate?.digest && (await digestDigits(ferry)) !== old;
  });
  await postComment(lab, 'ada', issue, 'Another commit, which changes a remark.');
  await lab.clock.advance(MINUTE);
  return before.replaceAll(old, await digestDigits(ferry));
}

async function expectHeldBack({ lab, run }: Ferry, approval: number, second: number): Promise<void> {
  await lab.clock.advance(5 * MINUTE);
  const [answer = ''] = listAnswersTo(lab, approval);
  expect(answer).toContain('not approved');
  expect(answer).toMatch(new RegExp(`Delete or hide the comment at .*#issuecomment-${second}\\)`));
  expect(await readState(lab, run)).toMatchObject({ approvals: [], order: null });
  expect(lab.engine.startCount()).toBe(0);
}

async function expectLaunch(ferry: Ferry): Promise<void> {
  const { lab, run, pull } = ferry;
  await postComment(lab, 'mira', pull, await approveLine(ferry));
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
}

describe('a copy of an earlier card with the current digest, while the real card is hidden', () => {
  it.each(MODES)(
    'launches nothing until the copy is deleted and the card is visible again: $mode',
    async ({ options }) => {
      const ferry = await proposed(options);
      const { lab, pull } = ferry;
      const copy = await changedBehindCard(ferry);
      await hideAs(lab, 'ada', findCard(lab).id);
      const second = await sayAsWorkflow(lab, pull, copy);
      await lab.clock.advance(MINUTE);
      await expectHeldBack(ferry, await postComment(lab, 'mira', pull, await approveLine(ferry)), second);
      expect(listBotTexts(lab, 'incident')).toEqual([expect.stringMatching(/`hidden`/)]);
      expect(lab.world.state.comments[findCard(lab).id]?.minimizedReason).toBeNull();
      await deleteAsWorkflow(lab, second);
      await lab.clock.advance(MINUTE);
      await expectLaunch(ferry);
    },
  );

  it.each(MODES)("also blocks approvals if it has the card's marker: $mode", async ({ options }) => {
    const ferry = await proposed(options);
    const { lab, pull } = ferry;
    const copy = await changedBehindCard(ferry);
    const marker = findCard(lab).source.split('\n')[0];
    await hideAs(lab, 'ada', findCard(lab).id);
    const second = await sayAsWorkflow(lab, pull, `${marker}\n${copy}`);
    await lab.clock.advance(MINUTE);
    await expectHeldBack(ferry, await postComment(lab, 'mira', pull, await approveLine(ferry)), second);
    await lab.close();
  });
});

describe('a comment that shows the launch line like a card', () => {
  it.each(MODES)('blocks approvals until it is hidden: $mode', async ({ options }) => {
    const ferry = await proposed(options);
    const { lab, pull } = ferry;
    const second = await sayAsWorkflow(lab, pull, `## Ready\n\n\`${await approveLine(ferry)}\``);
    await lab.clock.advance(MINUTE);
    await expectHeldBack(ferry, await postComment(lab, 'mira', pull, await approveLine(ferry)), second);
    await hideAs(lab, 'mira', second);
    await expectLaunch(ferry);
  });

  it('blocks approvals if a user with write access posted it', async () => {
    const ferry = await proposed();
    const { lab, pull, issue } = ferry;
    const second = await postComment(lab, 'ada', issue, `| a | b |\n|-|-|\n| 1 | 2 |\n\n> ${await approveLine(ferry)}`);
    await expectHeldBack(ferry, await postComment(lab, 'mira', pull, await approveLine(ferry)), second);
    await lab.close();
  });

  // threat T92
  it('blocks nothing if a user without write access posted it', async () => {
    const ferry = await proposed();
    const { lab, pull } = ferry;
    await postComment(lab, 'sol', pull, findCard(lab).text);
    await postComment(lab, 'sol', pull, `# Ready\n\n\`${await approveLine(ferry)}\``);
    await expectLaunch(ferry);
  });

  it.each([
    { what: 'only the line', by: 'ada', around: (line: string) => line },
    {
      what: 'the line in a quote and in code',
      by: 'ada',
      around: (line: string) => `> ${line}\n\n\`${line}\`, right?`,
    },
    { what: 'the line of another manifest', by: 'ada', around: () => `# Old\n\n/approve-launch ${'ab'.repeat(16)}` },
    { what: 'a table without the line', by: 'ada', around: () => '| a | b |\n|-|-|\n| 1 | 2 |' },
  ] as const satisfies readonly {
    readonly by: Person;
    readonly what: string;
    readonly around: (line: string) => string;
  }[])('blocks nothing if it contains $what', async ({ by, around }) => {
    const ferry = await proposed();
    const { lab, pull } = ferry;
    await postComment(lab, by, pull, around(await approveLine(ferry)));
    await sayAsWorkflow(lab, pull, around(await approveLine(ferry)));
    await expectLaunch(ferry);
  });

  it('makes the runner refuse if control did not see it, and the incident gives the next step', async () => {
    const held = holdJobs('launch');
    const ferry = await proposed({ beforeJob: held.beforeJob });
    const { lab, pull } = ferry;
    const line = await approveLine(ferry);
    const second = await sayAsWorkflow(lab, pull, 'The nightly tests are green.');
    await lab.clock.advance(MINUTE);
    await postComment(lab, 'mira', pull, line);
    await until(lab, 'the launcher', () => held.waiting() > 0);
    await editAsWorkflow(lab, second, `# Ready\n\n\`${line}\``);
    held.letGo();
    await lab.clock.advance(5 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(await postedEvents(lab, 'incident')).toEqual(['runner-refused: second-card']);
    await deleteAsWorkflow(lab, second);
    await expectLaunch(ferry);
  });
});
