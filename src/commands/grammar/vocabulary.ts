/** Classifies slash words: ours, a near miss, another bot's, or unrelated. */

import { nearest } from '../../settings/nearness.ts';
import type { CommandSpec } from '../spec.ts';
import { folded, isAscii } from './characters.ts';

/** `word`: the slash word without attached text. */
export type WordClass =
  | { readonly kind: 'ours'; readonly word: string; readonly spec: CommandSpec }
  | { readonly kind: 'near'; readonly word: string; readonly suggest: string }
  | {
      readonly kind: 'lookalike' | 'other-bot' | 'unrelated';
      readonly word: string;
    };

/** Classifies a word found by `slashWordsIn`. */
export type Vocabulary = (word: string) => WordClass;

// Names start with a letter, so keys such as `__proto__` are impossible.
const ASCII_NAME = /^\/[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*/;

/** Other bots' words may include the slash. */
export function vocabularyOf(registry: readonly CommandSpec[], otherBots: readonly string[]): Vocabulary {
  const specs = new Map(registry.map((spec) => [spec.name, spec]));
  const names = registry.map((spec) => spec.name);
  const confused = new Map(
    registry.flatMap((spec) => (spec.confusedWith ?? []).map((word) => [word, spec.name] as const)),
  );
  const theirs = new Set(otherBots.map((word) => word.trim().replace(/^\//, '').toLowerCase()));
  const suggest = (name: string): string | null => confused.get(name.toLowerCase()) ?? nearest(name, names);
  const known = new Map<string, WordClass>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = classify(word, specs, theirs, suggest);
    known.set(word, found);
    return found;
  };
}

function classify(
  word: string,
  specs: ReadonlyMap<string, CommandSpec>,
  theirs: ReadonlySet<string>,
  suggest: (name: string) => string | null,
): WordClass {
  if (word.slice(1).includes('/')) return { kind: 'unrelated', word };
  const whole = word.split('.', 1)[0] ?? word;
  const name = ASCII_NAME.exec(whole)?.[0] ?? whole;
  if (theirs.has(whole.slice(1).toLowerCase()) || theirs.has(name.slice(1).toLowerCase()))
    return { kind: 'other-bot', word: name };
  if (!isAscii(whole)) {
    const seen = folded(whole).slice(1);
    if (isAscii(seen) && (specs.has(seen) || suggest(seen) !== null))
      return { kind: 'lookalike', word: whole };
  }
  const spec = specs.get(name.slice(1));
  if (spec !== undefined) return { kind: 'ours', word: name, spec };
  const meant = isAscii(name) ? suggest(name.slice(1)) : null;
  return meant === null
    ? { kind: 'unrelated', word: name }
    : { kind: 'near', word: name, suggest: `/${meant}` };
}
