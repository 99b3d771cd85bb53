/** Ferries on request: the proposal, follow-up questions and refusals, with and without a server. */

import { describe, expect, it } from 'vitest';
import { approveAndFinish, playFerry, propose, readEventsOf, readState, seal, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  openExperiment,
  postComment,
  pushExperiment,
  readBody,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const RUN = 'ferry-daily-20261121';
const FILE = 'experiments/ferries/daily.py';

/** A lab with an open experiment issue. */
async function withIssue(
  options: VirtualLabOptions = {},
): Promise<{ readonly lab: VirtualLab; readonly issue: number }> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  return { lab, issue: await openExperiment(lab) };
}

/** Posts the comment, advances the clock until it is answered, and returns the code of its one answer. */
async function ask(lab: VirtualLab, thread: number, text: string, who: 'mira' | 'ada' = 'mira'): Promise<string> {
  const comment = await postComment(lab, who, thread, text);
  await until(lab, `the answer to ${text}`, () => listAnswersTo(lab, comment).length > 0, { limitMs: 2 * 3_600_000 });
  await lab.clock.advance(MINUTE);
  expect(listAnswersTo(lab, comment)).toHaveLength(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  return (await listAnswerCodes(lab, comment)).join(' ');
}

function pulls(lab: VirtualLab): readonly { readonly number: number; readonly state: string }[] {
  return Object.values(lab.world.state.issues).filter((issue) => issue.pull !== null);
}

describe.each([
  ['with a server', { server: true }],
  ['with sweeps only', { server: true, webhooks: false, sweepMs: 5 * MINUTE }],
  ['without a server', { server: false }],
])('a requested ferry, %s', (_, options) => {
  it('is proposed with exactly the requested knobs, launched by another person, and sealed', async () => {
    const { lab, issue } = await withIssue(options);
    const words = '/propose learning_rate=4e-3 warmup=80 objective="integration: is 4e-3 still fine?"';
    expect(await ask(lab, issue, words, 'ada')).toBe('proposed');
    await until(lab, 'its gates', async () => ((await readState(lab, RUN))?.gate?.digest ?? null) !== null);
    const state = await readState(lab, RUN);
    expect(state?.proposal).toMatchObject({
      candidate: null,
      objective: { kind: 'integration', text: 'integration: is 4e-3 still fine?' },
      requestedBy: { login: 'ada' },
      request: {
        thread: issue,
        knobs: expect.arrayContaining([{ path: 'train_config.SimpleTrainConfig().warmup', after: '80' }]),
      },
    });
    expect(state?.gate?.verdicts.filter((v) => v.outcome === 'fail' || v.outcome === 'unknown')).toEqual([]);
    const text = (await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)) ?? '';
    expect(text).toBe(
      ((await readBranchFile(lab, 'main', FILE)) ?? '')
        .replace('learning_rate=3e-3', 'learning_rate=4e-3')
        .replace('warmup=100', 'warmup=80'),
    );
    const pull = state?.proposal.pull ?? 0;
    expect(readBody(lab, pull)).toContain(`Asked for by ada in #${issue}`);
    await approveAndFinish(lab, RUN, pull);
    await seal(lab, RUN, state?.proposal.issue ?? 0);
    expect((await readState(lab, RUN))?.seal?.verdict).toBe('pass');
    expect(pulls(lab)).toHaveLength(2);
    expect(lab.world.state.unserved).toEqual([]);
    await lab.close();
  });
});

describe('the requester of a ferry', () => {
  it('cannot approve it', async () => {
    const { lab, issue } = await withIssue();
    await ask(lab, issue, '/propose learning_rate=4e-3');
    await until(lab, 'its gates', async () => ((await readState(lab, RUN))?.gate?.digest ?? null) !== null);
    const pull = (await readState(lab, RUN))?.proposal.pull ?? 0;
    expect(await ask(lab, pull, '/approve-launch')).toBe('approval-by-author');
    expect((await readState(lab, RUN))?.approvals).toEqual([]);
    await lab.close();
  });

  it('needs the permission that the config requires', async () => {
    const { lab, issue } = await withIssue();
    const comment = await postComment(lab, 'ravi', issue, '/propose learning_rate=4e-3');
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, comment)).toEqual(['not-permitted']);
    expect(pulls(lab)).toEqual([]);
    await lab.close();
  });
});

describe('a request that cannot be followed', () => {
  it.each([
    ['/propose learning_rat=4e-3', 'propose-edit-refused'],
    ['/propose learning_rate=0.003', 'propose-edit-refused'],
    ['/propose learning_rate="open(1)"', 'propose-edit-refused'],
    ['/propose learning_rate=4e-3 objective="does \\"warmup\\" matter?"', 'propose-objective-unclear'],
  ])('is answered without an edit: %s', async (text, answer) => {
    const { lab, issue } = await withIssue();
    expect(await ask(lab, issue, text)).toBe(answer);
    expect(pulls(lab)).toEqual([]);
    expect((await readEventsOf(lab, 'journal')).map((event) => event.type)).toEqual([
      'command-seen',
      'command-answered',
    ]);
    await lab.close();
  });
});

describe('a requested change of scale', () => {
  it('passes its gate at the requested value only', async () => {
    const { lab, issue } = await withIssue();
    await ask(lab, issue, '/propose TRAIN_BATCH_SIZE=16 objective="integration: twice the batch"');
    const scale = async (): Promise<string | undefined> =>
      (await readState(lab, RUN))?.gate?.verdicts.find((verdict) => verdict.gate === 'scale-stable')?.code;
    await until(lab, 'its gates', async () => (await scale()) !== undefined);
    expect(await scale()).toBe('asked-for');
    await pushExperiment(lab, RUN, (text) => text.replace('TRAIN_BATCH_SIZE = 16', 'TRAIN_BATCH_SIZE = 32'));
    await lab.clock.advance(MINUTE);
    expect(await scale()).toBe('scale-changed');
    await lab.close();
  });
});

describe('a /propose while a proposal is open', () => {
  it('replaces an unapproved proposal from its own thread, but not from another thread', async () => {
    const { lab, issue } = await withIssue();
    const first = await propose(lab);
    expect(await ask(lab, issue, '/propose learning_rate=4e-3')).toBe('propose-standing');
    expect(await ask(lab, first.pull, '/propose learning_rate=4e-3')).toBe('proposed');
    const [old, next] = [await readState(lab, RUN), await readState(lab, `${RUN}-2`)];
    expect(old?.closed).toMatchObject({ outcome: 'withdrawn' });
    expect(next?.proposal).toMatchObject({ requestedBy: { login: 'mira' } });
    const states = new Map(Object.values(lab.world.state.issues).map((one) => [one.number, one.state]));
    expect([states.get(first.pull), states.get(first.issue), states.get(next?.proposal.pull ?? 0)]).toEqual([
      'closed',
      'closed',
      'open',
    ]);
    await approveByAda(lab, next?.proposal.pull ?? 0);
    await lab.close();
  });

  it('is refused after the approval, the launch and the end of the run', async () => {
    const { lab, issue } = await withIssue();
    const { pull } = await propose(lab);
    await approveAndFinish(lab, RUN, pull);
    expect(await ask(lab, pull, '/propose learning_rate=4e-3')).toBe('propose-busy');
    expect(await ask(lab, issue, '/propose learning_rate=4e-3')).toBe('propose-busy');
    expect(pulls(lab)).toHaveLength(1);
    await lab.close();
  });
});

/** The approval rules apply to the new pull request too. */
async function approveByAda(lab: VirtualLab, pull: number): Promise<void> {
  expect(await ask(lab, pull, '/approve-launch', 'ada')).toBe('not-permitted');
  expect(listBotComments(lab).some(({ thread, kind }) => thread === pull && kind === 'card')).toBe(true);
}

describe('a second ferry on the same day', () => {
  it('can be requested once the first is sealed', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { issue } = await playFerry(lab);
    expect(await ask(lab, issue, '/propose warmup=80')).toBe('proposed');
    expect((await readState(lab, `${RUN}-2`))?.proposal.interval).toMatchObject({ lastRun: RUN });
    await lab.close();
  });
});
