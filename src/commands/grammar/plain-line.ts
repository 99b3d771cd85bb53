/** The line of a slash word that is plain text: whether the word starts it, and whether the line is what it seems. */

import { hasInvisible, isBlank } from './characters.ts';
import type { Glyphs, Seen } from './glyphs.ts';
import type { FoundWord } from './slash-words.ts';
import { endOfLine, startOfLine } from './source-lines.ts';

export type PlainLine = {
  /** Nothing but blanks stands before the word, in the source and as seen; or what keeps it from being first. */
  readonly before: 'nothing' | 'html' | 'entity' | 'invisible' | 'text';
  /** Where the line's text ends in the source: at its line ending or hard break. */
  readonly end: number;
  /** The line has a character that nobody sees, or one before it in the paragraph changes the order of what is seen. */
  readonly isInvisible: boolean;
  /** Offsets of the HTML comments of the paragraph. */
  readonly hidden: readonly number[];
};

/** Looks at the line around a word of a paragraph, both as it is seen and in the source. */
export function plainLine(
  found: FoundWord,
  { glyphs, breaks, hidden, reordered }: Seen,
  source: string,
): PlainLine {
  const { text, offsets } = glyphs;
  const seen = { start: startOfLine(text, found.start), end: endOfLine(text, found.start) };
  const at = offsets[found.start] ?? 0;
  const written = { start: startOfLine(source, at), end: endOfLine(source, at) };
  return {
    before: whatIsBefore(glyphs, seen.start, found.start, source.slice(written.start, at)),
    end: Math.min(written.end, breaks.find((offset) => offset >= at) ?? written.end),
    isInvisible:
      hasInvisible(text.slice(seen.start, seen.end)) ||
      hasInvisible(source.slice(written.start, written.end)) ||
      (reordered !== null && reordered < seen.end),
    hidden,
  };
}

function whatIsBefore(
  { text, marks }: Glyphs,
  from: number,
  to: number,
  written: string,
): PlainLine['before'] {
  if (/^[ \t]*$/.test(written)) return 'nothing';
  if (!isBlank(text.slice(from, to))) return 'text';
  // What ended the seen line inside the line of the source counts as well: a `<br>`, or a line break by number.
  const above = marks.slice(Math.max(0, from - 1), to);
  if (above.includes('entity')) return 'entity';
  return above.includes('html') || /^[ \t]*</.test(written) ? 'html' : 'invisible';
}
