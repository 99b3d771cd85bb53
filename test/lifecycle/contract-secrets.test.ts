/**
 * A secret typed into a contract blocks the launch and is not recorded; the contract proceeds once the secret
 * is removed.
 */

import { describe, expect, it, onTestFinished } from 'vitest';
import { ANSWERS, type Answers, openHeroIssue, openHeroLab, postHeroIssue, RUN } from '../support/hero-run.ts';
import { findLeaks, readRecordText, TYPED_SECRETS } from '../support/leaks.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, readState, until, untilState } from '../support/play.ts';
import { openIssue, openRentalLab, rentalRunName } from '../support/rental.ts';
import { listBotComments, postComment } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

async function gated(lab: VirtualLab, run: string): Promise<void> {
  await untilState(lab, run, (state) => state.gate != null, { limitMs: 3_600_000 });
}

async function openWith(answers: Answers): Promise<{ lab: VirtualLab; issue: number }> {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  const issue = await openHeroIssue(lab, { answers });
  await gated(lab, RUN);
  return { lab, issue };
}

const leaks = async (lab: VirtualLab, value: string): Promise<readonly string[]> =>
  findLeaks(lab.world, await readRecordText(lab), value, lab.log.join('\n'));

const cardOf = (lab: VirtualLab, issue: number): string =>
  listBotComments(lab).findLast(({ kind, thread }) => kind === 'card' && thread === issue)?.text ?? '';

describe('a secret in the command of a hero contract', () => {
  it.each(Object.entries(TYPED_SECRETS))(
    'blocks the launch as %s, is recorded and posted nowhere, and the edited contract launches',
    async (name, value) => {
      const { lab, issue } = await openWith({ Command: `${name}=${value} ${ANSWERS['Command']}` });
      const state = await readState(lab, RUN);
      expect(state === null ? null : listOpenGates(state)).toContain('contract-complete incomplete');
      expect(cardOf(lab, issue)).toContain(`a text without the secret in ${name.replaceAll('_', '\\_')}`);
      expect(cardOf(lab, issue)).toContain('rotate that secret now');
      expect(cardOf(lab, issue)).toContain('delete the old revision');
      expect(await leaks(lab, value)).toEqual([]);
      const { body } = await postHeroIssue(lab);
      await lab.as('ada', 'PATCH', `/issues/${issue}`, { body });
      await until(lab, 'the manifest', async () => (await readState(lab, RUN))?.gate?.digest != null);
      await approve(lab, 'mira', issue, RUN);
      await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
      expect(await leaks(lab, value)).toEqual([]);
    },
  );

  // rule HR-06
  it('blocks the launch as the value of an option', async () => {
    const value = TYPED_SECRETS['LAB_PASSWORD'] ?? '';
    const { lab, issue } = await openWith({ Command: `${ANSWERS['Command']} --db-password ${value}` });
    expect(cardOf(lab, issue)).toContain('a text without the secret in --db-password');
    expect(await leaks(lab, value)).toEqual([]);
  });
});

describe('a secret in another answer of a hero contract', () => {
  it.each([
    'Goal',
    'Stop and escalation criteria',
    'Hardware and topology',
    'Container or bundle',
    'Output root',
    'W&B display name',
    'Source SHA',
    'Intended changes',
    'Final step',
    'DRI',
  ])('blocks the launch in %s and is not recorded', async (label) => {
    const value = TYPED_SECRETS['GH_TOKEN'] ?? '';
    const { lab } = await openWith({ [label]: `see ${value}` });
    const state = await readState(lab, RUN);
    expect(state === null ? null : listOpenGates(state)).toContain('contract-complete incomplete');
    expect(await leaks(lab, value)).toEqual([]);
  });

  it("does not end up in the run's name if the issue title contains it", async () => {
    const value = TYPED_SECRETS['HF_TOKEN'] ?? '';
    const lab = await openHeroLab();
    onTestFinished(() => lab.close());
    const { body } = await postHeroIssue(lab, { 'Run slug': null });
    const labels = ['experiment', 'hero-run'];
    const written = { title: `[Hero run] with ${value}`, body, labels };
    const { number: issue } = (await lab.as('ada', 'POST', '/issues', written)) as { readonly number: number };
    await lab.clock.advance(20 * 60_000);
    expect(cardOf(lab, issue)).toContain('Run slug');
    expect(await leaks(lab, value)).toEqual([]);
    expect(await leaks(lab, value.toLowerCase())).toEqual([]);
  });
});

describe('a contract with text that resembles a secret', () => {
  it.each([
    '--tokenizer meta-llama/Llama-3.1-8B-Instruct',
    '--key-from WANDB_API_KEY_OF_THE_LAB',
    '--secret-name my-k8s-secret-of-the-lab',
    '--sort-key validation_loss_of_the_mean',
    '--pad-token 7 --prng-key 12345678901234567890',
    '--metric-key=eval/paloma/c4_en/bpb',
  ])('is complete with %s', async (option) => {
    const { lab } = await openWith({ Command: `${ANSWERS['Command']} ${option}` });
    const state = await readState(lab, RUN);
    expect(state === null ? null : listOpenGates(state)).toEqual([]);
  });
});

describe('a secret in a rental request', () => {
  it.each([
    ['in its issue', (lab: VirtualLab, command: string) => openIssue(lab, 'ada', `Command: ${command}`), ''],
    ['in /rent', (lab: VirtualLab) => openIssue(lab, 'ada'), 'command'],
  ] as const)('%s blocks the launch and is not recorded', async (_, open, key) => {
    const value = TYPED_SECRETS['LAB_PASSWORD'] ?? '';
    const lab = await openRentalLab();
    onTestFinished(() => lab.close());
    const command = `LAB_PASSWORD=${value} python3 train.py --max-steps 600 --batch-size 32`;
    const issue = await open(lab, command);
    const asked = key === '' ? '' : ` ${key}="${command}"`;
    await postComment(lab, 'ada', issue, `/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="long context"${asked}`);
    const run = rentalRunName(lab, issue);
    await gated(lab, run);
    const state = await readState(lab, run);
    expect(state === null ? null : listOpenGates(state)).toContain('contract-complete incomplete');
    expect(cardOf(lab, issue)).toContain('LAB\\_PASSWORD');
    // GitHub itself keeps the comment.
    const { comments } = lab.world.state;
    for (const [id, comment] of Object.entries(comments)) if (comment.body.startsWith('/rent')) delete comments[id];
    expect(await leaks(lab, value)).toEqual([]);
  });
});
