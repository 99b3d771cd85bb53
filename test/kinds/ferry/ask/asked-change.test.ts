/** What somebody asks for with /propose, held against a real file: the right knob, a plain value, and nothing else. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askedChange } from '../../../../src/kinds/ferry/ask/asked-change.ts';
import { experimentFile, readText } from '../../../support/read-experiments.ts';

const LAB = readFileSync(
  join(import.meta.dirname, '../../../../fixtures/lab/experiments/ferries/daily.py'),
  'utf8',
);
const ask = async (
  asked: Readonly<Record<string, string>>,
  text = LAB,
  max: number | null = null,
): ReturnType<typeof askedChange> =>
  askedChange(await experimentFile(text), readText, Object.entries(asked), max);

describe('a knob by name', () => {
  it.each([
    ['its name alone', 'learning_rate', '4e-3', 'learning_rate=3e-3', 'learning_rate=4e-3'],
    [
      'its whole path',
      'train_config.SimpleTrainConfig().learning_rate',
      '4e-3',
      'learning_rate=3e-3',
      'learning_rate=4e-3',
    ],
    ['the end of its path', 'SimpleTrainConfig().warmup', '80', 'warmup=100', 'warmup=80'],
    [
      'a key of a dict without quotes',
      'DATA_MIXTURE_WEIGHTS[prose]',
      '0.65',
      '"prose": 0.7',
      '"prose": 0.65',
    ],
    ['a key of a dict alone', 'prose', '0.65', '"prose": 0.7', '"prose": 0.65'],
    [
      'a text without its quotes, which the command took',
      'lr_schedule',
      'cosine',
      'lr_schedule="linear"',
      'lr_schedule="cosine"',
    ],
    ['a text with its quotes', 'lr_schedule', "'cosine'", 'lr_schedule="linear"', "lr_schedule='cosine'"],
    ['arithmetic', 'TRAIN_BATCH_SIZE', '2 * 8', 'TRAIN_BATCH_SIZE = 8', 'TRAIN_BATCH_SIZE = 2 * 8'],
    ['a name that the file has', 'warmup', 'TRAIN_BATCH_SIZE', 'warmup=100', 'warmup=TRAIN_BATCH_SIZE'],
  ])('%s', async (_, name, value, before, after) => {
    expect(LAB).toContain(before);
    expect(await ask({ [name]: value })).toMatchObject({
      ok: true,
      value: { text: LAB.replace(before, after) },
    });
  });

  it('two at once, in the order of the file', async () => {
    const result = await ask({ warmup: '80', learning_rate: '4e-3' });
    expect(result).toMatchObject({
      ok: true,
      value: { changes: [{ knob: 'learning_rate' }, { knob: 'warmup', before: '100', after: '80' }] },
    });
  });
});

describe('an ask that is answered instead', () => {
  it.each([
    ['a slip', { learning_rat: '1' }, { code: 'unknown-knob', suggest: 'learning_rate' }],
    ['nothing like it', { banana: '1' }, { code: 'unknown-knob', suggest: null }],
    ['the same value', { learning_rate: '0.003' }, { code: 'unchanged', before: '3e-3' }],
    ['a call', { learning_rate: 'float("3")' }, { code: 'value-refused', before: '3e-3' }],
    ['code', { warmup: '__import__("os").system("x")' }, { code: 'value-refused' }],
    ['a name of nowhere', { warmup: 'cosine' }, { code: 'value-refused' }],
    ['two values', { warmup: '1 2' }, { code: 'value-refused' }],
    ['a second keyword', { warmup: '80, evil=True' }, { code: 'value-refused' }],
    ['a comment', { warmup: '80 # why' }, { code: 'value-refused' }],
    ['a broken number', { learning_rate: '4e' }, { code: 'value-refused', value: '4e' }],
    ['a power that fills the memory', { warmup: '9**9**9' }, { code: 'value-refused' }],
    ['a comprehension', { warmup: '[x for x in (1,)]' }, { code: 'value-refused' }],
    ['an f-string', { lr_schedule: 'f"{RUN_NAME}"' }, null],
    [
      'the same knob by two names',
      { warmup: '80', 'SimpleTrainConfig().warmup': '90' },
      { code: 'repeated-knob' },
    ],
  ])('%s', async (_, asked, error) => {
    const result = await ask(asked as unknown as Readonly<Record<string, string>>);
    // Where the file has a text, what is no plain text is put between quotes: it is a value then and no code.
    if (error === null)
      expect(result).toMatchObject({ value: { changes: [{ after: '"f\\"{RUN_NAME}\\""' }] } });
    else expect(result).toMatchObject({ ok: false, error });
  });

  it('a name that two knobs have, with the paths that tell them apart', async () => {
    const text = 'a(lr=1)\nb(lr=2)\nb(lr=3)\n';
    expect(await ask({ lr: '5' }, text)).toEqual({
      ok: false,
      error: { code: 'ambiguous-knob', name: 'lr', paths: ['a().lr', 'b().lr', 'b()#2.lr'] },
    });
    expect(await ask({ 'b().lr': '5' }, text)).toMatchObject({
      value: { text: 'a(lr=1)\nb(lr=5)\nb(lr=3)\n' },
    });
  });

  it('more knobs than a lab allows, where it blocks', async () => {
    expect(await ask({ warmup: '80', learning_rate: '4e-3' }, LAB, 1)).toMatchObject({
      error: { code: 'over-budget', count: 2, max: 1 },
    });
  });
});
