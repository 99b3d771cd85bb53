/** Finds the quoted mail or signature in a comment sent by e-mail. */

import type { RootContent } from 'mdast';
import { cutText } from '../../domain/cut-text.ts';
import { rangeOf } from './parse-markdown.ts';

// "On <date>, <name> wrote:" in common languages.
const ATTRIBUTION = /^(?:On|Am|Le|El|Il|Em|Op)\s.+:$/i;
const VERB = /\s(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef)[\s:]/i;
// In other languages, the attribution still ends with an address.
const ADDRESSED = /^[^<>]*<[^<>\s@]+@[^<>\s@]+>[^<>]{0,20}[:：]$/;
const SEPARATOR =
  /^(?:-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\s*-{2,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié)\s?:|--|Reply to this email directly.*)$/i;
const HEADER_START = /^\*{0,2}(?:From|Von|De):/;
const HEADER_LINE =
  /^\*{0,2}(?:Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Para|Asunto):/;
// Mail programs break longer lines; also bounds the patterns.
const LINE_LENGTH_MAX = 400;

/**
 * The offset where quoted mail or a signature starts, or null. An attribution directly above a Markdown quote does not count, because that
 * quote has an end.
 */
export function emailStart(blocks: readonly RootContent[], source: string): number | null {
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'paragraph') continue;
    const { start, end } = rangeOf(block);
    const raw = source.slice(start, end).split(/(?<=\n|\r(?!\n))/);
    const lines = raw.map((line) => cutText(line, LINE_LENGTH_MAX).trim());
    for (const n of raw.keys()) {
      const count = isSeparator(lines, n) ? 1 : attributionLines(lines, n);
      if (count === null) continue;
      const isAtEnd = n + count === lines.length && !isSeparator(lines, n);
      if (isAtEnd && blocks[index + 1]?.type === 'blockquote') break;
      return start + raw.slice(0, n + count).join('').length;
    }
  }
  return null;
}

/** Mail programs break the attribution into up to three lines. */
function attributionLines(lines: readonly string[], n: number): number | null {
  const isAttribution = (count: number): boolean => {
    const text = lines.slice(n, n + count).join(' ');
    return (ATTRIBUTION.test(text) && VERB.test(text)) || ADDRESSED.test(text);
  };
  return [1, 2, 3].slice(0, lines.length - n).find(isAttribution) ?? null;
}

function isSeparator(lines: readonly string[], n: number): boolean {
  const line = lines[n] ?? '';
  const isHeader = (): boolean => lines.slice(n + 1, n + 6).filter((one) => HEADER_LINE.test(one)).length > 1;
  return SEPARATOR.test(line) || (HEADER_START.test(line) && isHeader());
}
