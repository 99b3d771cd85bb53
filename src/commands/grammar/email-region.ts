/** Where, in a comment that came by e-mail, the quoted mail or the signature begins. */

import type { RootContent } from 'mdast';
import { cutText } from '../../domain/cut-text.ts';
import { rangeOf } from './glyphs.ts';

// "On <date>, <somebody> wrote:" as mail programs put it above what they quote, in the languages of the big ones.
const ATTRIBUTIONS = [
  /^On\s.+\swrote:$/i,
  /^(?=.*:$)Am\s.+?\sschrieb\s./i,
  /^Le\s.+\sa écrit\s?:$/i,
  /^El\s.+\sescribió:$/i,
  /^Il\s.+\sha scritto:$/i,
  /^Em\s.+\sescreveu:$/i,
  /^(?=.*:$)Op\s.+?\sschreef\s./i,
  // Without a verb, or with one of a language that is not listed: what stands above a mail ends with an address.
  /^[^<>]*<[^<>\s@]+@[^<>\s@]+>[^<>]{0,20}[:：]$/,
];
const HEADER_START = /^\*{0,2}(?:From|Von|De):/;
const HEADER_LINE =
  /^\*{0,2}(?:Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Para|Asunto):/;
const SEPARATOR =
  /^-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\s*-{2,}$/i;
const FORWARDED =
  /^(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié)\s?:$/i;
const SIGNATURE = /^--[ \t]*$/;
const GITHUB_FOOTER = /^Reply to this email directly/;

// An attribution is one line or, broken by the mail program, two or three; a header's lines stand together.
const ATTRIBUTION_LINES_MAX = 3;
const HEADER_LINES_MAX = 6;
// No mail program writes a longer one, and the patterns look at a line more than once.
const MARK_LENGTH_MAX = 400;

/**
 * The offset from which on the paragraphs of the comment are an e-mail's (quoted without signs, or a signature), or
 * null. Where an attribution stands right above a quote with its signs, the quote says itself how far it goes.
 */
export function emailStart(blocks: readonly RootContent[], source: string): number | null {
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'paragraph') continue;
    const { start, end } = rangeOf(block);
    const lines = linesWithin(source, start, end);
    for (let n = 0; n < lines.length; n += 1) {
      const last = lastLineOfMark(lines, n);
      if (last === null) continue;
      const isAttribution = last.kind === 'attribution';
      const isAtEnd = last.line === lines.length - 1;
      if (isAttribution && isAtEnd && blocks[index + 1]?.type === 'blockquote') break;
      return lines[last.line]?.end ?? end;
    }
  }
  return null;
}

type Line = { readonly text: string; readonly end: number };
type Mark = { readonly kind: 'attribution' | 'other'; readonly line: number };

/** If line `n` starts something that only an e-mail has: which line is the last of it. */
function lastLineOfMark(lines: readonly Line[], n: number): Mark | null {
  const text = lines[n]?.text ?? '';
  if ([SEPARATOR, FORWARDED, SIGNATURE].some((pattern) => pattern.test(text)))
    return { kind: 'other', line: n };
  if (text === '—' && GITHUB_FOOTER.test(lines[n + 1]?.text ?? '')) return { kind: 'other', line: n };
  if (HEADER_START.test(text)) {
    const below = lines.slice(n + 1, n + HEADER_LINES_MAX).filter((line) => HEADER_LINE.test(line.text));
    return below.length >= 2 ? { kind: 'other', line: n } : null;
  }
  for (let count = 1; count <= ATTRIBUTION_LINES_MAX; count += 1) {
    const joined = lines
      .slice(n, n + count)
      .map((line) => line.text)
      .join(' ');
    if (ATTRIBUTIONS.some((pattern) => pattern.test(joined)))
      return { kind: 'attribution', line: Math.min(n + count, lines.length) - 1 };
  }
  return null;
}

function linesWithin(source: string, start: number, end: number): readonly Line[] {
  return Array.from(source.slice(start, end).matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g))
    .filter((match) => match[0] !== '')
    .map((match) => ({
      text: cutText(match[1] ?? '', MARK_LENGTH_MAX).trim(),
      end: start + match.index + match[0].length,
    }));
}
