/** Finds slash words in a text. */

import { trimmedEnd } from '../../domain/trimmed-end.ts';
import { INVISIBLE_CLASS, LETTER_CLASS, SLASH_CLASS, visible } from './characters.ts';

/** Indices in the searched text; `end` is exclusive. */
export type FoundWord = {
  readonly start: number;
  readonly end: number;
  /** As displayed: without invisible characters and a final full stop. */
  readonly word: string;
};

// After these characters, a slash is not the start of a word: `and/or`, `./run`, `~/x`, `https://`, `$HOME/x`, `</b>`, `f(x)/g`.
const GOES_ON = `${SLASH_CLASS}\\p{L}\\p{M}\\p{N}.:\\\\~$%@?)\\]}<`;
const WORD = new RegExp(
  // The lookahead keeps the lookbehind from running at every character.
  `(?=[${SLASH_CLASS}])(?<![${GOES_ON}][${INVISIBLE_CLASS}]*)[${SLASH_CLASS}]+[${INVISIBLE_CLASS}]*[${LETTER_CLASS}]` +
    `[${LETTER_CLASS}\\p{M}\\p{N}\\p{Pd}\\p{Pc}${INVISIBLE_CLASS}/.\\u2212]*`,
  'gu',
);

/** In text order. */
export function slashWordsIn(text: string): readonly FoundWord[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: trimmedEnd(visible(match[0]), '.'),
  }));
}
