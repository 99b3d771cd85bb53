/** docs/policy-coverage.md is generated from the rules, and every sentence of the policies has a rule. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coveragePage } from '../../scripts/policy/coverage-page.ts';
import { wordingGaps } from '../../scripts/policy/findings.ts';
import { findMarks } from '../../scripts/policy/marks.ts';
import { readAsides, readPolicySentences } from '../../scripts/policy/policy-sentences.ts';
import { POLICY_FILES, type Rule, readRules } from '../../scripts/policy/rules.ts';
import { splitSentences } from '../../scripts/policy/sentences.ts';

const ROOT = join(import.meta.dirname, '../..');
const POLICIES = join(ROOT, '../shared/policy');
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
const asides = await readAsides(join(ROOT, 'fixtures/policy/asks-nothing.yml'));
const policies = await readPolicySentences(join(ROOT, 'fixtures/policy/sentences.yml'));

describe('the rules', () => {
  it('are all on the generated page, which is current', () => {
    expect(readFileSync(join(ROOT, 'docs/policy-coverage.md'), 'utf8')).toBe(
      coveragePage(rules, findMarks(ROOT).tests),
    );
  });

  // rule AG-01
  it('cover every sentence that requires something, and a removed rule is reported', () => {
    const gapsOf = (some: readonly Rule[]): readonly string[] =>
      POLICY_FILES.flatMap((file) => wordingGaps(file, policies.get(file) ?? [], some, asides));
    expect(gapsOf(rules)).toEqual([]);
    const shared = (mark: string): boolean => rules.filter((rule) => rule.sentences.includes(mark)).length > 1;
    const alone = rules.filter((rule) => !rule.sentences.every(shared));
    // Each of these is one part of a sentence with several demands.
    expect(rules.filter((rule) => !alone.includes(rule)).map(({ id }) => id)).toEqual([
      'ML-34',
      'ML-37',
      'ML-36',
      'HR-76',
      'HR-77',
      'AG-31',
    ]);
    for (const rule of alone)
      expect(gapsOf(rules.filter((other) => other !== rule)).join('\n')).toContain(`${rule.file}, `);
  });

  it('cite all sentences of the policies, and only those', () => {
    // If a policy loses a sentence, this list must lose one as well.
    expect(POLICY_FILES.map((file) => policies.get(file)?.length)).toEqual([90, 122, 134, 62, 65]);
    // A plain checkout has no policies in its parent folder.
    for (const file of POLICY_FILES.filter((one) => existsSync(join(POLICIES, one)))) {
      const marks = splitSentences(readFileSync(join(POLICIES, file), 'utf8')).map(({ mark }) => mark);
      expect(marks).toEqual(policies.get(file)?.map(({ mark }) => mark));
    }
  });
});

describe('the parser of a policy', () => {
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

\`\`\`bash
# first this
run it
\`\`\`
\`\`\`
- Never present guesses.
- Nor rumours.
\`\`\`
`;
  const sentences = splitSentences(policy);

  it('returns every sentence of paragraphs and lists, and each block of code', () => {
    expect(sentences.map(({ section, text }) => `${section}: ${text}`)).toEqual([
      'Recipe: Some words about it.',
      'Recipe: A run must be named.',
      'Rules: Keep it small.',
      'Rules: A detail of that.',
      'Steps: Do this.',
      'Steps: Only then do that:',
      'Steps: First, over two lines.',
      'Steps: Second.',
      'Steps: A PR must include:',
      'Steps: a link',
      'Steps: # first this run it',
      'Steps: Never present guesses.',
      'Steps: Nor rumours.',
    ]);
  });

  it('gives a sentence the same mark in any formatting', () => {
    const marks = (text: string): readonly string[] => splitSentences(text).map((sentence) => sentence.mark);
    expect(marks('- You **must**   not `x`.')).toEqual(marks('You must not x.'));
    expect(marks('You must.')).not.toEqual(marks('You must not.'));
  });

  it('reports a sentence without a rule, and a rule without a sentence', () => {
    const [first, second] = sentences;
    const file = 'daily-ferry.md' as const;
    const rule = {
      id: 'DF-01',
      file,
      section: 'Recipe',
      rule: 'Each run has a name.',
      sentences: [first?.mark ?? ''],
      status: 'open' as const,
    };
    const aside = { file, why: 'tells what was found on one day', sentences: [second?.mark ?? ''] };
    expect(wordingGaps(file, sentences, [rule], [aside])).toHaveLength(sentences.length - 2);
    expect(wordingGaps(file, sentences.slice(0, 1), [rule], [{ ...aside, sentences: rule.sentences }])).toEqual([
      `daily-ferry.md: ${first?.mark} asks for something`,
    ]);
    const stale = { ...rule, section: 'Gone', sentences: ['0123456789'] };
    expect(wordingGaps(file, [], [stale], [{ ...aside, sentences: ['abcdef0123'] }])).toEqual([
      'daily-ferry.md has no sentence abcdef0123',
      'DF-01: daily-ferry.md has no sentence 0123456789',
      'DF-01: daily-ferry.md has no section Gone',
    ]);
  });
});
