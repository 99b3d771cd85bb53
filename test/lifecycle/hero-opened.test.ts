/** A hero run without an issue: ferrybot opens one, people fill in what is missing, and it is launched. */

import { expect, it, onTestFinished } from 'vitest';
import { ANSWERS, branchHead, formBody, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment, readBranchFile } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const ASK = `/propose lane=hero slug=${RUN} objective="Does the mixture hold at 1e23?"`;

async function open(): Promise<VirtualLab> {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  return lab;
}

type Row = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
};

/** Issues that the bot opened for hero runs. */
function openedIssues(lab: VirtualLab): readonly Row[] {
  const { issues, labels } = lab.world.state as unknown as {
    issues: Record<string, { number: number; title: string; body: string; labelIds?: number[]; pull: unknown }>;
    labels: Record<string, { name: string }>;
  };
  return Object.values(issues)
    .filter(({ title }) => title.startsWith('Hero run: '))
    .map(({ number, title, body, labelIds = [] }) => ({
      ...{ number, title, body },
      labels: labelIds.map((id) => labels[id]?.name ?? ''),
    }));
}

// rule HR-72
it('/propose opens the issue of a hero run with the known answers, and the run launches once it is complete', async () => {
  const lab = await open();
  const { pull } = await propose(lab);
  const asked = await postComment(lab, 'ada', pull, ASK);
  await until(lab, 'the run', async () => (await readState(lab, RUN)) !== null);
  await lab.clock.advance(5 * MINUTE);
  const [issue, more] = openedIssues(lab);
  expect(more).toBeUndefined();
  expect(issue).toMatchObject({ title: `Hero run: ${RUN}` });
  expect(issue?.body).toContain(`Logbook: \`runs/2026/11/${RUN}/logbook.md\` on the branch \`ferrybot/logbook\`.`);
  const { number = 0 } = issue ?? {};
  const labels = ((await lab.as('ada', 'GET', `/issues/${number}`)) as { labels: { name: string }[] }).labels;
  expect(labels.map(({ name }) => name)).toEqual(expect.arrayContaining(['experiment', 'hero-run', 'agent-generated']));
  expect(listAnswersTo(lab, asked)[0]).toContain(`proposed as \`${RUN}\`: issue #${number}`);
  const state = await readState(lab, RUN);
  expect(state?.proposal).toMatchObject({ issue: number, pull: number, requestedBy: { login: 'ada' } });
  expect(state?.contract).toMatchObject({
    dri: { value: 'ada', source: 'given' },
    goal: { value: 'Does the mixture hold at 1e23?', source: 'given' },
    slug: { value: RUN },
  });
  expect(state?.submission).toBeNull();
  expect(listBotTexts(lab, 'card').findLast((text) => text.includes(`Run \`${RUN}\``))).toContain('**missing**');
  const logbook = (await readBranchFile(lab, 'ferrybot/logbook', `runs/2026/11/${RUN}/logbook.md`)) ?? '';
  expect(logbook).toMatch(new RegExp(`^- Issue: \\S+#${number}$`, 'm'));

  const body = formBody({ ...ANSWERS, 'Source SHA': await branchHead(lab) });
  await lab.as('ada', 'PATCH', `/issues/${number}`, { body: `${issue?.body.split('### ')[0]}${body}` });
  await until(lab, 'green gates', async () => {
    const now = await readState(lab, RUN);
    return now?.gate?.digest != null && listOpenGates(now).length === 0;
  });
  expect((await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'dri-accepted')).toMatchObject({
    code: 'accepted',
  });
  await approve(lab, 'mira', number, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
});

it("a requested hero run needs the DRI's acceptance if the DRI is another person", async () => {
  const lab = await open();
  const { pull } = await propose(lab);
  await postComment(lab, 'ada', pull, `${ASK} dri=@mira`);
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null);
  expect((await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'dri-accepted')).toMatchObject({
    outcome: 'fail',
    code: 'not-accepted',
  });
});

it.each([
  ['without a name', '/propose lane=hero', 'the run has no name'],
  ['with an unknown contract field', `${ASK} learning_rate=3e-4`, 'the contract has no value `learning_rate`'],
])('/propose opens no hero issue %s', async (_, line, words) => {
  const lab = await open();
  const { pull } = await propose(lab);
  const asked = await postComment(lab, 'ada', pull, line);
  await lab.clock.advance(5 * MINUTE);
  expect(listAnswersTo(lab, asked)[0]).toContain(words);
  expect(openedIssues(lab)).toEqual([]);
});

it('/propose in an experiment issue makes that issue the hero run', async () => {
  const lab = await open();
  const issue = await openHeroIssue(lab, { labels: ['experiment'] });
  await postComment(lab, 'ada', issue, '/propose lane=hero');
  await until(lab, 'the run', async () => (await readState(lab, RUN))?.proposal.issue === issue);
  expect(openedIssues(lab)).toEqual([]);
});
