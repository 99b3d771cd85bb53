/** Issues of hero runs written without the form: what is read from each, and what is asked again. */

import { expect, it } from 'vitest';
import { findOpenParts } from '../../../src/contracts/fields.ts';
import type { Contract } from '../../../src/domain/launch/contract.ts';
import { FIELDS, type FieldName } from '../../../src/kinds/hero/contract/fields.ts';
import { isHeroContract, readHeroContract } from '../../../src/kinds/hero/contract/read-contract.ts';
import { heroSettings } from '../../../src/kinds/hero/settings.ts';

const LANE = heroSettings.parse({
  kind: 'hero',
  cluster: 'c',
  ships: ['.'],
  tracker: { kind: 'none', entity: '', project: '' },
});
const SHA = '0123456789abcdef0123456789abcdef01234567';
const read = (body: string) =>
  readHeroContract({ title: '[Hero run] Grug MoE', body, author: { id: 3, login: 'ada' } }, LANE);
const givenIn = (body: string): Partial<Record<FieldName, string>> =>
  Object.fromEntries(
    Object.entries(read(body)).flatMap(([name, { value, source }]) => (source === 'given' ? [[name, value]] : [])),
  );
const unclearIn = (body: string) => findOpenParts(FIELDS, read(body)).unclear.map((one) => one.split(':')[0]);

it.each([
  ['a bold name on its line', '**DRI:** @mira\n**Goal:** scale to 1e23\n**FLOPs:** 1e23 FLOPs'],
  ['plain lines', 'DRI: mira\nGoal: scale to 1e23\nFLOPs: 10^23'],
  ['a list', '- **DRI**: @mira\n- Goal: scale to 1e23\n- Model FLOPs = 1.0 × 10^23'],
  ['other separators', 'DRI = @mira\nGoal — scale to 1e23\n\n* FLOP budget - 1.0×10²³'],
  ['nested lists', '1. Who\n   - DRI: @mira\n2. What\n   - Goal: scale to 1e23\n   - FLOPs: ~1e23'],
  ['column headings', '| DRI | Goal | FLOPs |\n|---|---|---|\n| @mira | scale to 1e23 | 1e23 |'],
  [
    'rows with a note',
    '| | | |\n|---|---|---|\n| DRI | @mira | on leave in May |\n| Goal | scale to 1e23 | |\n| FLOPs | 1e23 | 6ND |',
  ],
  ['headings', '### Run owner\n\n@mira\n\n### Goal\n\nscale to 1e23\n\n### Compute budget\n\n1e23 FLOP'],
])('%s', (_, body) => {
  expect(givenIn(body)).toEqual({ dri: 'mira', goal: 'scale to 1e23', flops: '1e23' });
});

it('the person named as DRI is in charge, not the author of the issue', () => {
  expect(read('DRI: @mira')['dri']).toEqual({ value: 'mira', source: 'given', from: '' });
  expect(unclearIn('DRI: @ada and @mira')).toEqual(['DRI']);
});

// threat T112
// threat T115
it.each([
  ['a hundred thousand with a decimal point, or a hundred', 'Final step: 100.000', 'Final step'],
  ['thousands with only dots', 'Tokens: 18.000', 'Token budget'],
  ['a comma that does not separate thousands', 'Final step: 1,0000', 'Final step'],
  ['no pause between observations', 'Check cadence: 0 minutes', 'Check cadence'],
  ['a power with text after it', 'FLOPs: 10²3', 'FLOP budget'],
  ['digits of another script', 'FLOPs: 1e２3', 'FLOP budget'],
  ['a look-alike letter', 'FLOPs: 1\u043523', 'FLOP budget'],
  ['a login with such a letter', 'DRI: @mir\u0430', 'DRI'],
  ['a number with an invisible character', 'FLOPs: 1\u200be23', 'FLOP budget'],
])('an ambiguous value is asked again: %s', (_, body, label) => {
  expect(unclearIn(body)).toEqual([label]);
});

it.each([
  'Checkpoint policy: permanent every 1e5 steps, temporary every 15 minutes, keeping the previous 10',
  '- Checkpoint retention: permanent every 100,000 steps; temp every 15 min and keep last 10',
  'Checkpoint policy:\n- permanent checkpoints every 100k steps\n- temporary ones: keep 10, every 15 minutes',
  '- Permanent checkpoints: every 1e5 steps\n- Temporary checkpoints: 15m\n- Rollback depth: 10 checkpoints',
])('the retention is read from one sentence as from three answers: %s', (body) => {
  expect(givenIn(body)).toEqual({ permanent: '100000', temporary: '15', rollback: '10' });
});

it.each([
  ['temporary every 1000 steps', ['Temporary checkpoints every (minutes)']],
  ['permanent every 15 min', ['Permanent checkpoints every (steps)']],
  ['temporary every 2 hours', ['Temporary checkpoints every (minutes)']],
  ['a few of each', []],
])('the retention is asked again for %s', (said, unclear) => {
  expect(givenIn(`Checkpoint policy: ${said}`)).toEqual({});
  expect(unclearIn(`Checkpoint policy: ${said}`)).toEqual(unclear);
});

it.each([
  ['Git SHA', `https://github.com/lab/lab/commit/${SHA}`, { commit: SHA }],
  ['initialize_from', 'None — from scratch', { initializeFrom: 'none' }],
  [
    'Base checkpoint',
    '`s3://lab/ep4/checkpoints/step-120000/`',
    { initializeFrom: 's3://lab/ep4/checkpoints/step-120000' },
  ],
  ['Output root', '<gs://lab/ep8>', { outputRoot: 'gs://lab/ep8' }],
  ['Resume policy', 'resume=allow', { resume: 'allow' }],
  ['Tokens', '18 trillion', { tokens: '1.8e13' }],
  ['Active params', '23B active', { parameters: '2.3e10' }],
  ['Steps', '500k steps', { finalStep: '500000' }],
  ['Expected loss', '2.1 nats', { loss: '2.1' }],
])('reads %s as %s', (label, said, value) => {
  expect(givenIn(`- ${label}: ${said}`)).toEqual(value);
});

it.each([
  ['Output root', 'gs://lab/a or gs://lab/b'],
  ['Output root', 'simplecache::gs://lab/ep4'],
  ['Output root', 'file:/data/ep4'],
  ['Parameters', '23B active / 535B total'],
  ['Pre-registered loss', '1.93 ± 0.02'],
  ['initialize_from', 'gs://lab/ep4/checkpoints (newest complete)'],
  ['Final step', '~500k'],
])('asks again for %s as %s', (label, said) => {
  expect(unclearIn(`- ${label}: ${said}`)).toEqual([label]);
});

it('a command is the whole block below its name, and unclear with more than one command', () => {
  const block = (text: string) => `**Command:**\n\n\`\`\`bash\n${text}\n\`\`\``;
  expect(givenIn(block('uv run train.py \\\n  --steps 5'))).toMatchObject({
    command: 'uv run train.py \\\n  --steps 5',
  });
  expect(unclearIn(block('export WANDB_PROJECT=lab\nuv run train.py'))).toEqual(['Command']);
  // A continued line does not end a command.
  expect(givenIn('Command: python3 train.py\n--steps 5')).toEqual({ command: 'python3 train.py --steps 5' });
});

it.each([
  ['Final step', '600000', 'python3 train.py --trainer.num_train_steps=500000'],
  ['W&B run id', 'ep8', 'WANDB_RUN_ID=ep4 python3 train.py'],
  ['W&B run id', 'ep8', 'python3 train.py --trainer.tracker.id ep4'],
  ['Resume policy', 'never', 'WANDB_RESUME=allow python3 train.py'],
])('asks again for %s of %s if the command is %s', (label, said, command) => {
  expect(unclearIn(`- ${label}: ${said}\n- Command: ${command}`)).toEqual([label]);
  expect(unclearIn(`- ${label}: ${said}\n- Command: python3 train.py`)).toEqual([]);
});

it('a trainer that counts from zero names the same last step', () => {
  const command = 'python3 train.py --max-steps 500000';
  expect(unclearIn(`- Final step: 499999\n- Command: ${command}`)).toEqual([]);
});

it('two answers in two formats are unclear', () => {
  expect(unclearIn('Final step: 500000\n\n| Final step | 600000 |\n|---|---|\n')).toEqual(['Final step']);
});

it('is a hero run by its parameters and tokens, even with a smaller FLOP budget', () => {
  expect(isHeroContract(read('Parameters: 23B\nTokens: 18T\nFLOP budget: 1e20'))).toBe(true);
  expect(isHeroContract(read('Parameters: 125M\nTokens: 2.5B'))).toBe(false);
});

it('a budget that does not fit its parameters and tokens is asked again', () => {
  const budget = (said: string): Contract => read(`Parameters: 23B active\nTokens: 18T\nFLOP budget: ${said}`);
  // 6 × 23e9 × 18e12 are 2.48e24.
  for (const near of ['2.5e24', '1e24', '5e24']) expect(budget(near)).toMatchObject({ flops: { source: 'given' } });
  for (const far of ['2.5e23', '2.5e25'])
    expect(budget(far)['flops']).toEqual({
      value: far,
      source: 'unclear',
      from: 'one amount; six operations for each of its parameters and tokens are 2.48e24',
    });
  expect(unclearIn('Parameters: 23B\nFLOP budget: 1e20')).toEqual([]);
  expect(isHeroContract(read('Parameters: 125M\nTokens: 2.5B\nFLOP budget: 1e23'))).toBe(true);
});
