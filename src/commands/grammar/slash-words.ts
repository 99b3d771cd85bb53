/** Finds slash words in a text: a slash that starts a word, and the word behind it. */

import { trimmedEnd } from '../../domain/trimmed-end.ts';
import { INVISIBLE_CLASS, LETTER_CLASS, SLASH_CLASS, visible } from './characters.ts';

/** A slash word by its indices in the text that was searched; `end` is behind its last character. */
export type FoundWord = {
  readonly start: number;
  readonly end: number;
  /** As its reader sees it: without invisible characters and without the full stop of a sentence. */
  readonly word: string;
};

// Behind these a slash goes on with something: `and/or`, `./run`, `~/x`, `https://`, `$HOME/x`, `</b>`, `f(x)/g`.
const GOES_ON = `${SLASH_CLASS}\\p{L}\\p{M}\\p{N}.:\\\\~$%@?)\\]}<`;
const WORD = new RegExp(
  // The lookahead first: what stands before is looked at from a slash alone, and not from each sign of a long run.
  `(?=[${SLASH_CLASS}])(?<![${GOES_ON}][${INVISIBLE_CLASS}]*)[${SLASH_CLASS}]+[${INVISIBLE_CLASS}]*[${LETTER_CLASS}]` +
    `[${LETTER_CLASS}\\p{M}\\p{N}\\p{Pd}\\p{Pc}${INVISIBLE_CLASS}/.\\u2212]*`,
  'gu',
);

/** All slash words of a text, in order. */
export function slashWordsIn(text: string): readonly FoundWord[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: trimmedEnd(visible(match[0]), '.'),
  }));
}
