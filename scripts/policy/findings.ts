/** What is wrong between the rules, the tests that they name and the policies themselves. */

import type { Aside, MarkedSentence } from './policy-sentences.ts';
import type { Rule } from './rules.ts';

/** Rules that are shown by a test that is not there. `titlesOf` gives the titles of a test file, or null for no file. */
export function missingTests(
  rules: readonly Rule[],
  titlesOf: (file: string) => ReadonlySet<string> | null,
): readonly string[] {
  return rules.flatMap((rule) => {
    if (rule.status !== 'shown') return [];
    const titles = titlesOf(rule.test.file);
    if (titles === null) return [`${rule.id}: there is no ${rule.test.file}`];
    return titles.has(rule.test.name)
      ? []
      : [`${rule.id}: ${rule.test.file} has no test "${rule.test.name}"`];
  });
}

/** Sentences of a policy that no rule words, and rules that word a sentence which the policy does not have. */
export function wordingGaps(
  file: string,
  sentences: readonly MarkedSentence[],
  rules: readonly Rule[],
  asides: readonly Aside[],
): readonly string[] {
  const own = rules.filter((rule) => rule.file === file);
  const worded = new Set(own.flatMap((rule) => rule.sentences));
  const aside = new Set(asides.filter((one) => one.file === file).flatMap((one) => one.sentences));
  const there = new Set(sentences.map(({ mark }) => mark));
  const sections = new Set(sentences.map(({ section }) => section));
  return [
    ...sentences
      .filter(({ mark }) => !worded.has(mark) && !aside.has(mark))
      .map(({ section, mark }) => `${file}, ${section}: no rule for ${mark}`),
    ...[...aside].filter((mark) => worded.has(mark)).map((mark) => `${file}: ${mark} asks for something`),
    ...[...aside].filter((mark) => !there.has(mark)).map((mark) => `${file} has no sentence ${mark}`),
    ...own.flatMap((rule) =>
      rule.sentences
        .filter((mark) => !there.has(mark))
        .map((mark) => `${rule.id}: ${file} has no sentence ${mark}`),
    ),
    ...own
      .filter((rule) => !sections.has(rule.section))
      .map((rule) => `${rule.id}: ${file} has no section ${rule.section}`),
  ];
}
