/** A person does what a comment of ferrybot tells them to do, word for word, and it works. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../packages/playground/world/seed.ts';
import {
  commentAndReadAnswer,
  openAdoptingLab,
  openIssue,
  runOf,
  startJobByHand,
  WATCH,
} from '../support/adopted-job.ts';
import { openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  holdJobs,
  listAnswersTo,
  listBotComments,
  listBotTexts,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** The only command in code in this text that begins with these words, with the placeholders filled in. */
function commandIn(text: string | undefined, begin: string): string {
  const all = [...(text ?? '').matchAll(/`(\/[^`\n]+)`/g)].map(([, command = '']) => command);
  const found = new Set(all.filter((command) => command.startsWith(begin)));
  const [command] = found;
  if (found.size !== 1 || command === undefined) throw new Error(`not one ${begin} in: ${text}`);
  return command.replace('COMMAND', 'stop').replaceAll('…', 'because');
}

/** What a person says, the answer, and the answer to the command that the answer names. */
async function followed(lab: VirtualLab, who: Person, thread: number, said: string, begin: string) {
  const first = await postComment(lab, who, thread, said);
  await until(lab, `an answer to ${said}`, () => listAnswersTo(lab, first).length > 0, { stepMs: 1_000 });
  const command = commandIn(listAnswersTo(lab, first)[0], begin);
  return [(await listAnswerCodes(lab, first)).join(' '), await commentAndReadAnswer(lab, who, thread, command)];
}

const cardOf = (lab: VirtualLab): string => listBotTexts(lab, 'card').at(-1) ?? '';

describe('advice before a launch', () => {
  let lab: VirtualLab;
  let ferry: Awaited<ReturnType<typeof propose>>;
  beforeAll(async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    ferry = await propose(lab);
    await lab.clock.advance(2 * MINUTE);
  });
  afterAll(() => lab.close());

  it.each([
    ['/history', '/status', 'not-understood', 'status-shown'],
    ['/logs', '/status', 'not-understood', 'status-shown'],
    ['/help', '/help COMMAND', 'help-shown', 'help-shown'],
    ['/hold reason="a look"', '/unhold', 'held', 'unheld'],
    ['/hold lane=daily reason="a look"', '/unhold', 'held', 'unheld'],
    ['/hold date=2026-11-22 reason="a holiday"', '/unhold', 'held', 'unheld'],
    ['/rollback step=4', '/rollback step=1200', 'not-understood', 'rollback-not-now'],
    ['/seal-milestone', '/seal-milestone name', 'not-understood', 'not-now'],
  ])('%s: what the answer names with %s works', async (said, begin, first, then) => {
    expect(await followed(lab, 'mira', ferry.pull, said, begin)).toEqual([first, then]);
  });

  it('a hold elsewhere is lifted by the command that the answer names', async () => {
    expect(await commentAndReadAnswer(lab, 'mira', ferry.pull, '/hold lane=daily reason="a look"')).toBe('held');
    expect(await followed(lab, 'mira', ferry.pull, '/unhold', '/unhold lane=')).toEqual(['unhold-nothing', 'unheld']);
  });
});

describe('advice about a launch and its end', () => {
  let lab: VirtualLab;
  let ferry: Awaited<ReturnType<typeof propose>>;
  beforeAll(async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    ferry = await propose(lab);
    await lab.clock.advance(2 * MINUTE);
  });
  afterAll(() => lab.close());

  it('/launch leads to the line with the digest, and the line launches', async () => {
    const [first, needed] = await followed(lab, 'mira', ferry.pull, '/launch', '/approve-launch');
    expect([first, needed]).toEqual(['not-understood', 'approval-line-needed']);
    const line = commandIn(listBotTexts(lab, 'answer').at(-1), '/approve-launch ');
    expect(await commentAndReadAnswer(lab, 'mira', ferry.pull, line)).toBe('approved');
    await untilState(lab, ferry.run, (state) => state.observation?.step != null, { limitMs: 3_600_000 });
  });

  it('/hold on a running job names /unhold, which works', async () => {
    expect(await followed(lab, 'mira', ferry.issue, '/hold run reason="a look"', '/unhold')).toEqual([
      'held',
      'unheld',
    ]);
  });

  it('/until without a limit names two, and the first works', async () => {
    expect(await followed(lab, 'mira', ferry.issue, '/until', '/until step')).toEqual(['until-what', 'until-set']);
  });

  it('an offer names /accept, and the new owner ends and resumes the watch by the commands in the answers', async () => {
    const answer = () => listBotTexts(lab, 'answer').at(-1);
    expect(await commentAndReadAnswer(lab, 'mira', ferry.issue, '/handoff @ada')).toBe('handoff-offered');
    expect(await commentAndReadAnswer(lab, 'ada', ferry.issue, commandIn(answer(), '/accept'))).toBe('accepted');
    expect(await commentAndReadAnswer(lab, 'ada', ferry.issue, commandIn(answer(), '/stop-watching'))).toBe(
      'watch-stopped',
    );
    expect(await commentAndReadAnswer(lab, 'ada', ferry.issue, commandIn(answer(), '/watch'))).toBe('watch-resumed');
  });

  it('/kill leads to /stop, then the card to /seal with a reason', async () => {
    expect(await followed(lab, 'mira', ferry.issue, '/kill', '/stop')).toEqual(['not-understood', 'stop-requested']);
    await untilState(lab, ferry.run, (state) => state.end !== null, { limitMs: 3_600_000 });
    await lab.clock.advance(5 * MINUTE);
    expect(listBotTexts(lab, 'ended').at(-1)).toContain('Recommendation: decide whether the result counts;');
    expect(await commentAndReadAnswer(lab, 'mira', ferry.issue, '/seal')).toBe('seal-needs-accept');
    const accept = commandIn(cardOf(lab).split('\n')[0], '/seal accept=');
    expect(commandIn(listBotTexts(lab, 'answer').at(-1), '/seal accept=')).toMatch(/^\/seal accept="/);
    expect(await commentAndReadAnswer(lab, 'mira', ferry.issue, accept)).toBe('sealed');
  });
});

describe('advice after a stop before the launch', () => {
  it('/cancel leads to /stop, and a new ferry follows the closed pull request', async () => {
    const held = holdJobs('launch');
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, beforeJob: held.beforeJob });
    const { run, pull, issue } = await propose(lab);
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the order', async () => (await readState(lab, run))?.order != null);
    const stopped = await followed(lab, 'mira', pull, '/cancel', '/stop');
    expect(stopped).toEqual(['not-understood', 'stop-before-launch']);
    const why = await postComment(lab, 'mira', pull, '/why');
    expect(listAnswersTo(lab, why)[0]).toContain('close this pull request, and propose the next ferry');
    await lab.as('mira', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
    await until(lab, 'the close', async () => (await readState(lab, run))?.closed != null);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/propose')).toBe('proposed');
    held.letGo();
    await lab.close();
  });

  it('another issue gives the next hero run', async () => {
    const held = holdJobs('launch');
    const lab = await openHeroLab({ beforeJob: held.beforeJob });
    const issue = await openHeroIssue(lab);
    await approve(lab, 'mira', issue, RUN);
    await until(lab, 'the order', async () => (await readState(lab, RUN))?.order != null);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/stop')).toBe('stop-before-launch');
    const why = await postComment(lab, 'mira', issue, '/why');
    expect(listAnswersTo(lab, why)[0]).toContain('close this issue, and open another one for the next run');
    await lab.as('mira', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await until(lab, 'the close', async () => (await readState(lab, RUN))?.closed != null);
    const next = await openHeroIssue(lab, { answers: { 'Run slug': `${RUN}-b`, 'W&B run id': `${RUN}-b` } });
    await until(lab, 'the next card', () => listBotTexts(lab, 'card').length > 1, { limitMs: 3_600_000 });
    expect(listBotComments(lab).findLast(({ kind }) => kind === 'card')?.thread).toBe(next);
    held.letGo();
    await lab.close();
  });
});

it('the end of an adopted job is acknowledged as its comment says', async () => {
  const lab = await openAdoptingLab();
  startJobByHand(lab, { exitCode: 0, endAtMs: 40 * MINUTE, says: ['step=120/120 loss=2.5'] });
  const issue = await openIssue(lab);
  await commentAndReadAnswer(lab, 'mira', issue, WATCH);
  const run = runOf(issue);
  await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
  const question = listBotTexts(lab, 'notice').at(-1);
  expect(await commentAndReadAnswer(lab, 'mira', issue, commandIn(question, '/accept'))).toBe('job-adopted');
  await untilState(lab, run, (state) => state.end !== null, { limitMs: 3 * 3_600_000 });
  await lab.clock.advance(5 * MINUTE);
  expect(listBotTexts(lab, 'ended')[0]).toContain('acknowledge the end: a job that was launched by hand gets no seal.');
  const [refused, closed] = await followed(lab, 'mira', issue, '/seal', '/ack');
  expect([refused, closed]).toEqual(['seal-adopted', 'closed']);
  await lab.close();
});
