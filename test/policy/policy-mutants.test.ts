/**
 * `npm run policy:mutants`: every rule with status shown has one marked line of code, one marked test, and a
 * mutant that changes the line.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { generateMutant } from '../../scripts/policy/generated-mutant.ts';
import { findMarks, findMarksIn } from '../../scripts/policy/marks.ts';
import { decideFate, mutate, planExperiments, sampleBySeed } from '../../scripts/policy/mutant.ts';
import { readRules, type ShownRule } from '../../scripts/policy/rules.ts';
import { testTitles, titlePattern } from '../../scripts/policy/titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
const shown = rules.filter((rule) => rule.status === 'shown');

describe('the rules with status shown', () => {
  it('have one mark in the code, one above a test, and two mutants that change the code', () => {
    const { experiments, problems } = planExperiments(ROOT, shown, findMarks(ROOT));
    expect(problems).toEqual([]);
    expect(experiments).toHaveLength(shown.length);
  });
});

describe('a mark', () => {
  it('names the line below the comment, in TypeScript, YAML and Python', () => {
    expect(findMarksIn('src/a.ts', 'one;\n  // rule DF-01\n  two;\n')).toEqual([
      { id: 'DF-01', file: 'src/a.ts', line: 3 },
    ]);
    expect(findMarksIn('a.py', '# rules DF-01, HR-100\nx = 1\n').map(({ id }) => id)).toEqual(['DF-01', 'HR-100']);
  });

  it('is not read from a sentence that mentions a rule', () => {
    expect(findMarksIn('src/a.ts', '// rule DF-01 says so\n/** The delta (policy DF-18). */\n')).toEqual([]);
  });
});

describe('the plan of a mutant', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  const rule: ShownRule = {
    id: 'DF-02',
    file: 'daily-ferry.md',
    section: 'Recipe',
    rule: 'Each run has a name.',
    sentences: ['0123456789'],
    status: 'shown',
    mutant: 'return true;',
  };
  const code = 'function allowed(age: number) {\n  // rule DF-02\n  return age >= 18;\n}\n';
  const test = "describe('a run', () => {\n  // rule DF-02\n  it('has a name', () => {});\n});\n";
  const plan = (files: Readonly<Record<string, string>>, mutant = rule.mutant) => {
    const root = mkdtempSync(join(tmpdir(), 'ferrybot-marks-'));
    folders.push(root);
    for (const folder of ['src', 'scripts', 'packages', 'demo', 'test', 'bench', 'docs', 'fixtures/lab'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return planExperiments(root, [{ ...rule, mutant }], findMarks(root));
  };

  it('contains the file, the line and the title', () => {
    expect(plan({ 'src/a.ts': code, 'test/a.test.ts': test })).toEqual({
      problems: [],
      experiments: [
        {
          id: 'DF-02',
          code: { id: 'DF-02', file: 'src/a.ts', line: 3 },
          test: { file: 'test/a.test.ts', title: 'a run > has a name' },
          mutants: [code.replace('return age >= 18;', 'return true;'), code.replace('age >= 18', '!(age >= 18)')],
        },
      ],
    });
  });

  it.each([
    ['a rule without code', { 'test/a.test.ts': test }, 'DF-02: 0 marks in the code'],
    [
      'a rule marked in two places of the code',
      { 'src/a.ts': code, 'src/b.ts': code, 'test/a.test.ts': test },
      'DF-02: 2 marks in the code',
    ],
    ['a rule without a test', { 'src/a.ts': code }, 'DF-02: 0 marks in tests'],
    [
      'a mark without a test below it',
      { 'src/a.ts': code, 'test/a.test.ts': test.replace('it(', 'call(') },
      'DF-02: no test at test/a.test.ts:3',
    ],
    [
      'a mark of an unknown rule',
      { 'src/a.ts': code, 'src/b.ts': '// rule DF-03\nb;\n', 'test/a.test.ts': test },
      'src/b.ts:2: no rule DF-03 is shown',
    ],
  ])('reports %s', (_, files, problem) => {
    expect(plan(files).problems).toEqual([problem]);
  });

  it('reports a mutant that changes nothing', () => {
    expect(plan({ 'src/a.ts': code, 'test/a.test.ts': test }, 'return age >= 18;').problems).toEqual([
      'DF-02: the mutant changes nothing at src/a.ts:3',
    ]);
  });
});

describe('the generated mutant', () => {
  const generated = (code: string, written = ''): string | null => {
    const line = code.split('\n').findIndex((text) => text.includes('here')) + 1;
    const after = generateMutant('src/a.ts', code, line, written);
    return after === null ? null : (after.split('\n')[line - 1] ?? '').trim();
  };

  it.each([
    ['a condition', 'if (here) {\n  go();\n}', 'if (!(here)) {'],
    ['a comparison', 'const x = here === 3 && ok;', 'const x = !(here === 3) && ok;'],
    ['a conditional expression', 'f(\n  here ? 1 : 2,\n);', '!(here) ? 1 : 2,'],
    ['a filter', 'f(all.filter((here) => here.ok));', 'f(all.filter((...given) => !((here) => here.ok)(...given)));'],
    ['a usual value', 'const x = here ?? 3;', 'const x = 3;'],
  ])('inverts %s', (_, code, after) => {
    expect(generated(code)).toBe(after);
  });

  it('takes an element or a property out that decides nothing', () => {
    expect(generated('const list = [\n  here,\n  other,\n];')).toBe('');
    expect(generated('const table = {\n  here: 3,\n};')).toBe('');
    expect(generated('tell(here);')).toBe(';');
  });

  it('differs from the mutant of the rule', () => {
    const code = 'function f(a) {\n  if (a)\n    tell(here);\n}\n';
    const without = code.replace('tell(here);', ';');
    expect(generateMutant('src/a.ts', code, 3, '')).toBe(without);
    expect(generateMutant('src/a.ts', code, 3, without)).toBe(code.replace('(a)\n', '(!(a))\n'));
  });
});

describe('a mutant', () => {
  it('replaces its line and keeps the indentation', () => {
    expect(mutate('a {\n  b;\n}\n', 2, 'c;')).toBe('a {\n  c;\n}\n');
  });

  it('counts as killed only by a test that ran and failed', () => {
    expect(decideFate(['other', 'passed', 'failed'], false)).toBe('dies');
    expect(decideFate(['other', 'passed'], false)).toBe('survives');
    expect(decideFate(['other'], false)).toBe('no-test');
    expect(decideFate([], true)).toBe('breaks-the-file');
  });
});

describe('the title of a test', () => {
  it.each([
    ['is sent', 'a run is sent', true],
    ['is sent', 'a run is sent twice', false],
    ['a run > is sent', 'a run is sent', true],
    ['a run > is sent', 'a run > is sent', true],
    ['is called %s', 'a run is called (a+b)', true],
    ['$id may import', 'the rooms run may import', true],
    ['costs 1.5 (EUR)', 'it costs 1.5 (EUR)', true],
    ['costs 1.5', 'it costs 125', false],
  ])('"%s" matches "%s": %s', (title, name, matches) => {
    expect(titlePattern(title).test(name)).toBe(matches);
  });

  it('is found with the line of its call, for tables as well', () => {
    const text = "describe('a run', () => {\n  it('has a name', () => {});\n  it.each([1])('is %s', () => {});\n});";
    expect(testTitles(text)).toEqual([
      { line: 2, title: 'a run > has a name' },
      { line: 3, title: 'a run > is %s' },
    ]);
  });
});

describe('a sample', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }));
  const drawn = (seed: string): string =>
    sampleBySeed(all, 3, seed)
      .map(({ id }) => id)
      .join('');

  it('is the same for one commit, differs between commits, and reaches every rule in time', () => {
    expect(drawn('one')).toBe(drawn('one'));
    const many = Array.from({ length: 30 }, (_, at) => drawn(String(at)));
    expect(new Set(many).size).toBeGreaterThan(5);
    expect(new Set(many.join(''))).toEqual(new Set(all.map(({ id }) => id)));
    expect(sampleBySeed(all, 99, 'one')).toEqual(all);
  });
});
