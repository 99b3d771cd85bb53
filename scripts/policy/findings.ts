/** What is wrong between the rules and the sentences of the policies. */

import type { Aside, MarkedSentence } from './policy-sentences.ts';
import type { Rule } from './rules.ts';

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
      // rule AG-01
      .filter(({ mark }) => !worded.has(mark) && !aside.has(mark))
      .map(({ section, mark }) => `${file}, ${section}: no rule for ${mark}`),
    ...[...aside].filter((mark) => worded.has(mark)).map((mark) => `${file}: ${mark} asks for something`),
    ...[...aside].filter((mark) => !there.has(mark)).map((mark) => `${file} has no sentence ${mark}`),
    ...own.flatMap((rule) =>
      rule.sentences.filter((mark) => !there.has(mark)).map((mark) => `${rule.id}: ${file} has no sentence ${mark}`),
    ),
    ...own
      .filter((rule) => !sections.has(rule.section))
      .map((rule) => `${rule.id}: ${file} has no section ${rule.section}`),
  ];
}
