/** docs/policy-coverage.md is in step with the rules, the rules with their tests, and, where they are at hand, with the policies. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coveragePage } from '../../scripts/policy/coverage-page.ts';
import { missingTests, wordingGaps } from '../../scripts/policy/findings.ts';
import { readRules } from '../../scripts/policy/rules.ts';
import { sentencesOf } from '../../scripts/policy/sentences.ts';
import { testTitles } from '../../scripts/policy/titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const POLICIES = join(ROOT, '../shared/policy');
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));

describe('the rules', () => {
  it('are all on the page, which says nothing else', () => {
    expect(readFileSync(join(ROOT, 'docs/policy-coverage.md'), 'utf8')).toBe(coveragePage(rules));
  });

  it('that are shown name a test that is there', () => {
    const titlesOf = (file: string): ReadonlySet<string> | null =>
      existsSync(join(ROOT, file)) ? testTitles(readFileSync(join(ROOT, file), 'utf8')) : null;
    expect(missingTests(rules, titlesOf)).toEqual([]);
  });

  it('has a rule for every sentence that binds', () => {
    // A checkout by itself has no policies beside it; then the sentences' own marks in the rules are all there is.
    const files = [...new Set(rules.map((rule) => rule.file))].filter((file) =>
      existsSync(join(POLICIES, file)),
    );
    const gaps = files.flatMap((file) =>
      wordingGaps(file, sentencesOf(readFileSync(join(POLICIES, file), 'utf8')), rules),
    );
    expect(gaps).toEqual([]);
    expect(new Set(rules.map((rule) => rule.file)).size).toBe(5);
  });
});

describe('a policy', () => {
  const policy = `# Recipe
Some words about it. A run must be named.

## Rules
- Keep it small.
  - A detail of that.

## Steps
Do this. Only then do that:
1. First,
   over two lines.
2. Second.

A PR must include:
- a link

Notes:
- not binding
\`\`\`bash
# this must never count
\`\`\`
\`\`\`
- Never present guesses.
\`\`\`
`;
  const binding = sentencesOf(policy)
    .filter((sentence) => sentence.isBinding)
    .map((sentence) => sentence.text);

  it('binds by its words, and by the sentence or heading above a list', () => {
    expect(binding).toEqual([
      'A run must be named.',
      'Keep it small.',
      'A detail of that.',
      'Only then do that:',
      'First, over two lines.',
      'Second.',
      'A PR must include:',
      'a link',
      'Never present guesses.',
    ]);
  });

  it('has the same marks however it is set', () => {
    const marks = (text: string): readonly string[] => sentencesOf(text).map((sentence) => sentence.mark);
    expect(marks('- You **must**   not `x`.')).toEqual(marks('You must not x.'));
    expect(marks('You must.')).not.toEqual(marks('You must not.'));
  });

  it('is missed where no rule words it, and a rule where it words nothing', () => {
    const [first] = sentencesOf(policy).filter((sentence) => sentence.isBinding);
    const rule = {
      id: 'DF-01',
      file: 'daily-ferry.md' as const,
      section: 'Recipe',
      rule: 'Each run has a name.',
      sentences: [first?.mark ?? ''],
      status: 'open' as const,
    };
    expect(wordingGaps('daily-ferry.md', sentencesOf(policy), [rule])).toHaveLength(binding.length - 1);
    const stale = { ...rule, section: 'Gone', sentences: ['0123456789'] };
    expect(wordingGaps('daily-ferry.md', sentencesOf(''), [stale])).toEqual([
      'DF-01: daily-ferry.md has no sentence 0123456789',
      'DF-01: daily-ferry.md has no section Gone',
    ]);
  });
});

describe('a rule that is shown', () => {
  const rule = {
    id: 'DF-02',
    file: 'daily-ferry.md' as const,
    section: 'Recipe',
    rule: 'Each run has a name.',
    sentences: ['0123456789'],
    status: 'shown' as const,
    test: { file: 'test/a.test.ts', name: 'a run > has a name' },
  };
  const text = "describe('a run', () => { it('has a name', () => {}); it.each([1])('is %s', () => {}); });";

  it('is found by title, or by what it describes and title', () => {
    expect(missingTests([rule], () => testTitles(text))).toEqual([]);
    const each = { ...rule, test: { ...rule.test, name: 'is %s' } };
    expect(missingTests([each], () => testTitles(text))).toEqual([]);
  });

  it('is missed where the test has another title, or only a comment has it, or the file is gone', () => {
    const renamed = text.replace('has a name', 'has a title');
    expect(missingTests([rule], () => testTitles(`// has a name\n${renamed}`))).toHaveLength(1);
    expect(missingTests([rule], () => null)).toEqual(['DF-02: there is no test/a.test.ts']);
  });
});
