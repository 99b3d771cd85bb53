/** Commands in comments: permissions, typing errors, and exactly one answer for each comment. */

import { beforeAll, describe, expect, it } from 'vitest';
import { type Ferry, logbookText, playFerry, propose, readEventsOf, readState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** A proposed ferry with passing gates. */
async function proposed(config?: (text: string) => string): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...(config === undefined ? {} : { config }) });
  return { lab, ...(await propose(lab)) };
}

/** Every comment of ferrybot starts with its marker, then the 🤖; no comment is posted twice. */
function expectGoodManners(lab: VirtualLab): void {
  for (const { source } of listBotComments(lab)) {
    expect(source).toMatch(/^<!-- ferrybot:v1 [^\n]+ -->\n🤖 /);
  }
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
}

describe('/approve-launch', () => {
  it('refuses an untrusted user, and answers only the first of several attempts in the thread', async () => {
    const { lab, run, pull } = await proposed();
    const first = await postComment(lab, 'sol', pull, '/approve-launch');
    expect(await listAnswerCodes(lab, first)).toEqual(['not-permitted']);
    await lab.clock.advance(5 * MINUTE);
    const second = await postComment(lab, 'sol', pull, '/approve-launch');
    expect(listAnswersTo(lab, second)).toEqual([]);
    await lab.clock.advance(60 * MINUTE);
    const third = await postComment(lab, 'sol', pull, '/approve-launch');
    expect(listAnswersTo(lab, third)).toEqual([]);
    const state = await readState(lab, run);
    expect(state?.order).toBeNull();
    // Commands without a comment are still recorded with their answer.
    expect([...(state?.commands.values() ?? [])].map((command) => command.answer?.code)).toEqual([
      'not-permitted',
      'not-permitted',
      'not-permitted',
    ]);
    expectGoodManners(lab);
    await lab.close();
  });

  it('refuses a reader and a writer, who lack the permission to approve', async () => {
    const { lab, run, pull } = await proposed();
    const reader = await postComment(lab, 'ravi', pull, '/approve-launch');
    const writer = await postComment(lab, 'ada', pull, '/approve-launch');
    expect(await listAnswerCodes(lab, reader)).toEqual(['not-permitted']);
    expect(await listAnswerCodes(lab, writer)).toEqual(['not-permitted']);
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expectGoodManners(lab);
    await lab.close();
  });

  it('ignores a command in a comment that was edited before ferrybot read it', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false });
    const { run, pull } = await propose(lab);
    const comment = await postComment(lab, 'mira', pull, 'I shall look at it.');
    await lab.clock.advance(MINUTE);
    await lab.as('mira', 'PATCH', `/issues/comments/${comment}`, { body: '/approve-launch' });
    await lab.clock.advance(40 * MINUTE);
    expect(await listAnswerCodes(lab, comment)).toEqual(['comment-edited']);
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expectGoodManners(lab);
    await lab.close();
  });
});

describe('questions and typing errors', () => {
  let lab: VirtualLab;
  let pull: number;
  beforeAll(async () => {
    ({ lab, pull } = await proposed());
  });

  it.each([
    { said: '/status', answer: /this is the state of the run[\s\S]*Wanted:/ },
    { said: '/help', answer: /these are the commands[\s\S]*\/approve-launch[\s\S]*\/seal/ },
    { said: '/help approve-launch', answer: /Approves the launch of exactly the manifest/ },
    {
      said: '/aprove-launch',
      answer: /was not understood and nothing was done: there is no such command\. Did you mean `\/approve-launch`/,
    },
    { said: '> /approve-launch\n\nwhat does this do?', answer: /does not count: it is in a quote/ },
    {
      said: '/approve-launch 0123',
      answer: /\(digest: 32 or more hex digits of the digest: copy the line from the card\)/,
    },
    {
      said: '/seal accept=too noisy',
      answer: /does not take the words after it \(a value with blanks needs double quotes around it\)/,
    },
    { said: '/rollback step=4', answer: /an argument is missing \(reason\)/ },
    { said: '/hold raeson="x"', answer: /it does not take this key \(raeson\)\. Did you mean `reason`/ },
    { said: '/approve-launch 0123456789ab', answer: /not (approved|done)/ },
    { said: '/stop', answer: /not launched/ },
    { said: '/seal', answer: /nothing was done: the run has not ended/ },
    { said: '/ack', answer: /nothing was done: the run has not ended/ },
  ])('answers $said exactly once', async ({ said, answer }) => {
    const comment = await postComment(lab, 'mira', pull, said);
    expect(listAnswersTo(lab, comment)).toEqual([expect.stringMatching(answer)]);
    const card = listBotComments(lab).find(({ kind }) => kind === 'card');
    expect(listAnswersTo(lab, comment)[0]?.split('\n').filter(Boolean).at(-1)).toBe(
      `[Status card](../issues/${pull}#issuecomment-${card?.id})`,
    );
    await lab.clock.advance(31 * MINUTE);
    expect(listAnswersTo(lab, comment)).toHaveLength(1);
    expectGoodManners(lab);
  });

  it('repeats only the first digits of a digest', async () => {
    const comment = await postComment(lab, 'mira', pull, `/approve-launch ${'0123456789abcdef'.repeat(2)}`);
    expect(listAnswersTo(lab, comment)[0]).toMatch(/^🤖 `\/approve-launch 0123456789ab…` by mira: not approved/);
  });

  it('are answered by one bot under two names, which only the card explains', () => {
    const notes = listBotComments(lab).filter(({ text }) => text.includes('are from the same bot'));
    expect(notes.map(({ kind }) => kind)).toEqual(['card']);
  });

  it('answers up to ten commands of one comment in one comment, and eleven commands with one answer', async () => {
    const ten = await postComment(lab, 'mira', pull, Array(10).fill('/status').join('\n\n'));
    expect(listAnswersTo(lab, ten)).toEqual([expect.stringContaining("Read 10 lines of mira's comment")]);
    const eleven = await postComment(lab, 'mira', pull, Array(11).fill('/status').join('\n\n'));
    expect(listAnswersTo(lab, eleven)).toHaveLength(1);
    expectGoodManners(lab);
  });

  it('posts nothing for a comment without a command, and one hint for a command in code', async () => {
    const before = listBotComments(lab).length;
    for (const text of ['See /tmp/x and /usr/bin.', 'Thanks!', '`/approve-launch` is what you type']) {
      await postComment(lab, 'mira', pull, text);
    }
    const answers = listBotComments(lab)
      .slice(before)
      .filter((comment) => comment.kind === 'answer');
    expect(answers.map((comment) => comment.text)).toEqual([expect.stringContaining('it is in code')]);
  });
});

describe('a command in a thread without an open run', () => {
  it('is answered once in the thread of a sealed run, and recorded in the journal', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, issue } = await playFerry(lab);
    const events = (await readEventsOf(lab, run)).length;
    const comment = await postComment(lab, 'mira', issue, '/stop');
    await lab.clock.advance(40 * MINUTE);
    expect(await listAnswerCodes(lab, comment)).toEqual(['run-over']);
    expect(await readEventsOf(lab, run)).toHaveLength(events);
    expect((await readEventsOf(lab, 'journal')).map((event) => event.type)).toEqual([
      'proposing',
      'command-seen',
      'command-answered',
    ]);
    expectGoodManners(lab);
    await lab.close();
  });

  it('is answered once in an experiment issue without a run, and ignored in unrelated threads', async () => {
    const { lab } = await proposed();
    const opened = [];
    for (const labels of [['experiment'], []]) {
      opened.push(await lab.as('ada', 'POST', '/issues', { title: 'Try cosine', body: 'Why not?', labels }));
    }
    const [ours, other] = opened.map((issue) => (issue as { number: number }).number);
    const asked = await postComment(lab, 'mira', ours ?? 0, '/approve-launch');
    const elsewhere = await postComment(lab, 'mira', other ?? 0, '/approve-launch');
    await lab.clock.advance(40 * MINUTE);
    expect(await listAnswerCodes(lab, asked)).toEqual(['no-run-here']);
    expect(listAnswersTo(lab, elsewhere)).toEqual([]);
    expectGoodManners(lab);
    await lab.close();
  });
});

describe('/why', () => {
  it('lists the gates that fail and who can fix them, and fewer gates after /unhold', async () => {
    const { lab, pull } = await proposed();
    await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: '/hold reason="the cluster is moved"' });
    await lab.clock.advance(MINUTE);
    const held = await postComment(lab, 'ada', pull, '/why');
    await lab.clock.advance(MINUTE);
    expect(listAnswersTo(lab, held)).toEqual([
      expect.stringMatching(
        /2 gates do not pass.*`not-held`.*the cluster is moved.*`\/unhold`.*mira.*`approver-allowed`.*Approve last/s,
      ),
    ]);
    await postComment(lab, 'mira', pull, '/unhold');
    await lab.clock.advance(MINUTE);
    const free = await postComment(lab, 'ada', pull, '/why');
    await lab.clock.advance(MINUTE);
    expect(listAnswersTo(lab, free)).toEqual([
      expect.stringMatching(
        /1 gate does not pass.*`approver-allowed`.*`\/approve-launch` line, commented by 1 more.*mira/s,
      ),
    ]);
    await lab.close();
  });
});

describe('a token pasted into a command', () => {
  // threat T250
  it('is redacted in the record and in every answer, in ferry threads and other threads', async () => {
    const { lab, run, pull } = await proposed();
    const token = `hf_${'aB3'.repeat(10)}`;
    const held = await postComment(lab, 'ada', pull, `/hold reason="the job needs ${token} first"`);
    const idea = { title: 'An idea', body: '', labels: ['experiment'] };
    const { number } = (await lab.as('ada', 'POST', '/issues', idea)) as { readonly number: number };
    const frozen = await postComment(
      lab,
      'mira',
      number,
      `/hold lane=daily reason="rotate ${token}"\n\n/hodl ${token}`,
    );
    await lab.clock.advance(MINUTE);
    expect(listAnswersTo(lab, held)).toHaveLength(1);
    expect(listAnswersTo(lab, frozen)).toHaveLength(1);
    expect((await readState(lab, run))?.holds[0]?.reason).toBe('the job needs *** first');
    const said = listBotComments(lab).map(({ source }) => source);
    for (const text of [await logbookText(lab, run), await logbookText(lab, 'journal'), ...said])
      expect(text).not.toContain(token);
    expectGoodManners(lab);
    await lab.close();
  });
});
