/** Invisible characters in a launch command: the card would show another command than the one that runs. */

import { expect, it } from 'vitest';
import {
  commentAndReadAnswer,
  JOB_ID,
  openAdoptingLab,
  openIssue,
  runOf,
  startJobByHand,
  WATCH,
} from '../support/adopted-job.ts';
import { findShownApprovalLine } from '../support/approve.ts';
import { ANSWERS, type Answers, branchHead, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { readState, until, untilState } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

/** The failing gates, the card, and the answer to Mira's approval. */
async function approvedBlindly(lab: VirtualLab, run: string, issue: number) {
  await untilState(lab, run, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  await lab.clock.advance(5 * MINUTE);
  const state = await readState(lab, run);
  const digest = state?.gate?.digest?.slice('sha256:'.length);
  const comment = await postComment(lab, 'mira', issue, findShownApprovalLine(lab, run) ?? `/approve-launch ${digest}`);
  await lab.clock.advance(10 * MINUTE);
  const gates = state === null ? [] : listOpenGates(state);
  return { gates, card: listBotTexts(lab, 'card').join(''), answer: listAnswersTo(lab, comment).join() };
}

// threat T84
it.each([
  [
    'a zero-width space',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 experiments/ferries/da\u200bily.py' },
    'the command',
    'U+200B',
  ],
  [
    'a direction override',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py --lr \u202e3e-3\u202c' },
    'the command',
    'U+202E',
  ],
  [
    'an escape sequence',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py --lr \u001b[2K' },
    'the command',
    'U+001B',
  ],
  [
    'a no-break space',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py --note "a\u00a0--lr 3"' },
    'the command',
    'U+00A0',
  ],
  [
    'an ideographic space',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py --note "a\u3000b"' },
    'the command',
    'U+3000',
  ],
  [
    'a Braille blank',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py --note "\u2800"' },
    'the command',
    'U+2800',
  ],
  [
    'a no-break space between words',
    { Command: 'LAB_OUTPUT_ROOT=outputs/grug-moe-1e23-ep8 python3 daily.py\u00a0--lr 3' },
    'the command',
    'U+00A0',
  ],
  ['a soft hyphen', { 'Output root': 'outputs/grug\u00admoe' }, 'the command', 'U+00AD'],
] as const)(
  'a contract with %s launches nothing, and the card names the character',
  async (_what, answers, part, sign) => {
    const lab = await openHeroLab();
    const issue = await openHeroIssue(lab, { answers });
    const { gates, card } = await approvedBlindly(lab, RUN, issue);
    expect(gates).toEqual(['manifest-complete unseen']);
    expect(card).toContain(`${part} contains the invisible character \`${sign}\``);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  },
);

// threat T85
it.each([
  [45, ['manifest-complete too-long'], 0],
  [12, [], 1],
] as const)(
  'a command with %i long options is shown completely on the card, or launches nothing',
  async (count, open, starts) => {
    const settings = Array.from({ length: count }, (_, index) => `--a${index}=${'x'.repeat(480)}`);
    const Command = `${ANSWERS['Command']} ${settings.join(' ')} --last=word`;
    const lab = await openHeroLab();
    const issue = await openHeroIssue(lab, { answers: { Command } });
    const { gates, card } = await approvedBlindly(lab, RUN, issue);
    expect(gates).toEqual(open);
    expect(card.includes('"--last=word"')).toBe(starts === 1);
    expect(lab.engine.startCount()).toBe(starts);
    await lab.close();
  },
);

it("emoji in a contract's goal block nothing", async () => {
  const answers: Answers = { Goal: `${ANSWERS['Goal']} 👩‍🔬🚀️` };
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab, { answers });
  const { gates, answer } = await approvedBlindly(lab, RUN, issue);
  expect(gates).toEqual([]);
  expect(answer).toContain('approved manifest');
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
});

// threat T86
it('an adopted job with an invisible character in its command is not launched again', async () => {
  const lab = await openAdoptingLab({ config: (text) => text.replace('\n  adopt: null\n', '\n  adopt: write\n') });
  const entrypoint = 'python3 experiments/ferries/da\u200bily.py';
  startJobByHand(lab, {
    jobId: JOB_ID,
    origin: { submitter: 'ada', entrypoint, gitCommit: await branchHead(lab) },
    says: ['connection reset by peer'],
    exitCode: 1,
  });
  const issue = await openIssue(lab, 'ada', ['experiment']);
  const run = runOf(issue);
  await commentAndReadAnswer(lab, 'ada', issue, WATCH);
  await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
  await commentAndReadAnswer(lab, 'ada', issue, '/accept');
  const { gates } = await approvedBlindly(lab, run, issue);
  expect(gates).toContain('manifest-complete unseen');
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});
