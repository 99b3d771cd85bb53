/** Digests that a comment offers for approval in the shape of a card: a reader may take it for ferrybot's own. */

import { INVISIBLE } from '../../domain/unseen-signs.ts';
import { APPROVING } from '../approving.ts';
import { COMMENT_OF_STRANGER, isWithinBounds } from './bounds.ts';
import { shownPageOf } from './page.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { mayHaveSlashWord } from './slash-words.ts';

/** What presents something, besides the line that a person copies: headings, tables, pictures, folded parts, text in columns. */
const PRESENTING = 'h1 h2 h3 h4 h5 h6 table dl img picture video figure details summary pre'.split(' ');
const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'gu');
const LINE = new RegExp(String.raw`/(?:${APPROVING.join('|')})\s+(?:sha256:)?([0-9a-f]{32,64})`, 'gi');
const DIGITS = /[0-9a-f]{32,64}/gi;

/**
 * The digests, in lower case, that the rendered comment offers together with a heading, a table or a picture. Paragraphs,
 * lists and quotes with the line alone offer nothing: that is how people approve. A comment that is too large to parse
 * presents whatever digests its source has.
 */
export function offeredDigests(markdown: string): readonly string[] {
  if (!mayHaveSlashWord(markdown)) return [];
  const page = isWithinBounds(markdown, COMMENT_OF_STRANGER)
    ? shownPageOf(parseMarkdown(markdown).root, COMMENT_OF_STRANGER.elements)
    : null;
  if (page === null)
    return [...withoutMarkup(markdown).matchAll(DIGITS)].map(([digits]) => digits.toLowerCase());
  if (!PRESENTING.some((name) => page.elements.has(name))) return [];
  return [...page.text.replace(UNSEEN, '').matchAll(LINE)].map(([, digits = '']) => digits.toLowerCase());
}

/** The source without what can stand inside a digest and is not seen there. */
function withoutMarkup(markdown: string): string {
  return markdown
    .replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex?: string, decimal?: string) =>
      signOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/<(?:[^<>"']|"[^"]*"|'[^']*')*>/g, '')
    .replace(UNSEEN, '')
    .replace(/[*_~`[\]\\]/g, '');
}

function signOf(codePoint: number): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
}
