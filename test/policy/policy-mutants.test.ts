/** `npm run policy:mutants`: each mutant fits the code as it is, and what counts as killed is a test that ran and failed. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fateOf, mutantSchema, mutate, sampled, titlePattern } from '../../scripts/policy/mutant.ts';
import { readRules } from '../../scripts/policy/rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
const killable = rules.filter((rule) => rule.status === 'shown');

describe('the mutants of the rules', () => {
  it('fit the code as it is', () => {
    const unfit = killable.flatMap(({ id, mutant }) => {
      const path = join(ROOT, mutant.file);
      if (!existsSync(path)) return [`${id}: there is no ${mutant.file}`];
      const mutated = mutate(readFileSync(path, 'utf8'), mutant);
      return mutated.kind === 'mutated' ? [] : [`${id}: ${mutated.reason}`];
    });
    expect(unfit).toEqual([]);
  });
});

describe('a mutant', () => {
  const mutant = { file: 'src/a.ts', in: 'allowed', find: 'age >= 18', replace: 'true' };
  const text = 'const other = age >= 18;\nfunction allowed(age: number) {\n  return age >= 18;\n}\n';

  it('changes its characters inside its declaration, whatever stands around it', () => {
    const moved = `// more\n${text.replace('return', 'const x = 1;\n  return')}// age >= 18\n`;
    expect(mutate(text, mutant)).toEqual({
      kind: 'mutated',
      text: 'const other = age >= 18;\nfunction allowed(age: number) {\n  return true;\n}\n',
    });
    expect(mutate(moved, mutant)).toMatchObject({ kind: 'mutated' });
  });

  it.each([
    ['is gone', text.replace('allowed', 'permitted'), 'src/a.ts declares no allowed'],
    ['has another text', text.replaceAll('18', '21'), 'allowed has no "age >= 18"'],
    [
      'has the text twice',
      text.replace(';\n}', ' && age >= 18;\n}'),
      'allowed has "age >= 18" more than once',
    ],
    ['is there twice', `${text}{ const allowed = 1; }`, 'src/a.ts declares allowed more than once'],
  ])('does not fit where the declaration %s', (_, other, reason) => {
    expect(mutate(other, mutant)).toEqual({ kind: 'no-fit', reason });
  });

  it('has a declaration in TypeScript alone, and changes something', () => {
    const fits = (change: object): boolean => mutantSchema.safeParse({ ...mutant, ...change }).success;
    expect([fits({}), fits({ file: 'fixtures/a.py' }), fits({ in: undefined })]).toEqual([
      true,
      false,
      false,
    ]);
    expect([fits({ file: 'fixtures/a.py', in: undefined }), fits({ replace: mutant.find })]).toEqual([
      true,
      false,
    ]);
  });

  it('is killed by a test that ran and failed, and by nothing else', () => {
    expect(fateOf(['other', 'passed', 'failed'], false)).toBe('dies');
    expect(fateOf(['other', 'passed'], false)).toBe('survives');
    expect(fateOf(['other'], false)).toBe('no-test');
    expect(fateOf([], true)).toBe('breaks-the-file');
  });
});

describe('the title of a test', () => {
  it.each([
    ['is told', 'a run is told', true],
    ['is told', 'a run is told twice', false],
    ['a run > is told', 'a run is told', true],
    ['a run > is told', 'a run > is told', true],
    ['is called %s', 'a run is called (a+b)', true],
    ['$id may import', 'the rooms run may import', true],
    ['costs 1.5 (EUR)', 'it costs 1.5 (EUR)', true],
    ['costs 1.5', 'it costs 125', false],
  ])('"%s" finds "%s": %s', (title, name, isFound) => {
    expect(titlePattern(title).test(name)).toBe(isFound);
  });
});

describe('a sample', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }));
  const drawn = (seed: string): string =>
    sampled(all, 3, seed)
      .map(({ id }) => id)
      .join('');

  it('is the same for the same commit, another one for others, and reaches every rule in time', () => {
    expect(drawn('one')).toBe(drawn('one'));
    const many = Array.from({ length: 30 }, (_, at) => drawn(String(at)));
    expect(new Set(many).size).toBeGreaterThan(5);
    expect(new Set(many.join(''))).toEqual(new Set(all.map(({ id }) => id)));
    expect(sampled(all, 99, 'one')).toEqual(all);
  });
});
