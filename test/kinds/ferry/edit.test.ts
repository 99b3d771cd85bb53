import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit } from '../../../src/kinds/ferry/edit.ts';
import { experimentFile, readText } from '../../support/read-experiments.ts';

const edit = async (text: string, ...edits: readonly Edit[]): ReturnType<typeof applyEdits> =>
  applyEdits(await experimentFile(text), edits, readText);

const ONE = readFileSync(join(import.meta.dirname, '../../../fixtures/delta/generations/one.py'), 'utf8');

describe('editing a value in place', () => {
  // rule DF-10
  it('changes its characters and no other byte', async () => {
    const result = await edit(ONE, { path: 'train.SimpleTrainConfig().learning_rate', after: '6e-3' });
    expect(result).toMatchObject({
      ok: true,
      value: { text: ONE.replace('learning_rate=3e-3', 'learning_rate=6e-3') },
    });
  });

  it('keeps tabs, CRLF, comments and a missing final newline', async () => {
    const text = '# top\r\nrun(\r\n\tlr = 1, # why\r\n\tw={"a" : 2},)';
    expect(await edit(text, { path: 'run().w["a"]', after: '3' }, { path: 'run().lr', after: '5' })).toMatchObject({
      ok: true,
      value: { text: '# top\r\nrun(\r\n\tlr = 5, # why\r\n\tw={"a" : 3},)' },
    });
  });

  it('edits the second of two by its mark', async () => {
    expect(await edit('run(lr=1)\nrun(lr=1)\n', { path: 'run()#2.lr', after: '2' })).toMatchObject({
      value: { text: 'run(lr=1)\nrun(lr=2)\n' },
    });
  });

  it.each([
    ['a second keyword', '2, evil=True'],
    ['a comment that hides the rest', '2  # '],
    ['a bracket that closes the call', '2)\nimport os\nrun(lr=1'],
    ['a call in place of a constant', '__import__("os").system("x")'],
    ['an assignment expression', '(x := 2)'],
    ['nothing', ''],
    ['two values', '2 3'],
    ['a semicolon', '2; import os'],
  ])('refuses %s', async (_, after) => {
    expect(await edit('LR = 1\nrun(lr=LR)\n', { path: 'LR', after })).toMatchObject({ ok: false, error: 'refused' });
  });

  it('refuses a missing path, the same value, and the same path twice', async () => {
    expect(await edit('A = 1\n', { path: 'B', after: '2' })).toMatchObject({ error: 'refused' });
    expect(await edit('A = 3e-3\n', { path: 'A', after: '0.003' })).toMatchObject({ error: 'unchanged' });
    expect(await edit('A = 1\nB = 2\n', { path: 'A', after: '2' }, { path: 'B', after: '2' })).toMatchObject({
      error: 'unchanged',
    });
    expect(await edit('A = 1\n', { path: 'A', after: '2' }, { path: 'A', after: '3' })).toMatchObject({
      error: 'refused',
    });
    expect(await edit('A = 1\n')).toMatchObject({ error: 'refused' });
  });
});
