/** Finds all slash words of a comment, and why each cannot be a command. */

import type { Nodes, Paragraph, Root, RootContent } from 'mdast';
import { cutText, trimEndCharacters } from '../../domain/values.ts';
import { sourceRange, walkNodes } from './markdown.ts';
import type { IgnoreReason, TextPosition } from './reading.ts';

/** Content of a character class: invisible characters except blanks. */
const INVISIBLE_CLASS =
  '\\p{Default_Ignorable_Code_Point}\\p{Cf}\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2800';

/**
 * Slash and its lookalikes (confusables.txt without CJK strokes): fullwidth, division, fraction, big solidus, box-drawing and rising
 * diagonals, caret insertion, Philippine and Coptic marks.
 */
const SLASH_CLASS = '/\\uff0f\\u2215\\u2044\\u29f8\\u2571\\u27cb\\u2041\\u1735\\u2cc6';

/** Circled and boxed letters, which are not letters in Unicode. */
const LETTER_CLASS = '\\p{L}\\u24b6-\\u24e9\\u{1f130}-\\u{1f189}';

// Browsers render Unicode's line and paragraph separators as blanks; other programs treat them as line ends.
const INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}\\p{Zl}\\p{Zp}]`, 'u');
const ALL_INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}]`, 'gu');
const BLANK_OR_INVISIBLE = new RegExp(`^[\\s${INVISIBLE_CLASS}]*$`, 'u');
// Joiners and selectors are normal inside an emoji. Outside an emoji they count as invisible.
const EMOJI =
  /[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*/gu;
// Embeddings, overrides and isolates can affect other lines.
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;

/** Zero-width, bidirectional, control or filler characters outside an emoji. */
function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text) && INVISIBLE.test(text.replace(EMOJI, ''));
}

/** True if only blanks are visible. */
function isBlank(text: string): boolean {
  return BLANK_OR_INVISIBLE.test(text);
}

// Letters that resemble ASCII ones in common typefaces (from Unicode's confusables.txt, for the letters in command names). NFKD handles
// compatibility forms.
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ѐ: 'e', һ: 'h', н: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l' },
    ...{ м: 'm', о: 'o', р: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', ѵ: 'v', ԝ: 'w', х: 'x', у: 'y', п: 'n' },
    ...{ α: 'a', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', σ: 'o', τ: 't', υ: 'u', χ: 'x' },
    ...{ ɑ: 'a', ɡ: 'g', ı: 'i', ȷ: 'j', ʟ: 'l', օ: 'o', ѡ: 'w', ս: 'u', հ: 'h', յ: 'j', ո: 'n', ց: 'g' },
    ...{ ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ꜰ: 'f', ɢ: 'g', ʜ: 'h', ɪ: 'i', ᴊ: 'j', ᴋ: 'k', ᴌ: 'l' },
    ...{ ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w', ʏ: 'y', ᴢ: 'z' },
    ...Object.fromEntries([...'／∕⁄⧸╱⟋⁁\u1735\u2cc6'].map((slash) => [slash, '/'])),
  }),
);
const COMBINING = /\p{M}/gu;
const DASHES = /[\p{Pd}\u2212\u02d7]/gu;

/** Maps letters, dashes and slashes to the ASCII characters that they resemble; lower-case. */
export function foldLookalikes(text: string): string {
  const plain = text.normalize('NFKD').replace(COMBINING, '').toLowerCase().replace(DASHES, '-');
  return Array.from(plain, (character) => LOOKALIKES.get(character) ?? character).join('');
}

/** Printable ASCII only. */
export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

// CommonMark's line endings.
const LINE_ENDING = /\r\n|\n|\r/g;
const END = /[\r\n]/g;

/** Returns a lookup from offset to line and column, both from 1. */
export function createLocator(text: string): (offset: number) => TextPosition {
  const starts = [0, ...Array.from(text.matchAll(LINE_ENDING), (match) => match.index + match[0].length)];
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Offset of the line's first character. */
function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** Before the line ending. */
function lineEnd(text: string, at: number): number {
  END.lastIndex = at;
  return END.exec(text)?.index ?? text.length;
}

// "On <date>, <name> wrote:" in common languages.
const ATTRIBUTION = /^(?:On|Am|Le|El|Il|Em|Op)\s.+:$/i;
const VERB = /\s(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef)[\s:]/i;
// In other languages, the attribution still ends with an address.
const ADDRESSED = /^[^<>]*<[^<>\s@]+@[^<>\s@]+>[^<>]{0,20}[:：]$/;
const SEPARATOR =
  /^(?:-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\s*-{2,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié)\s?:|--|Reply to this email directly.*)$/i;
const HEADER_START = /^\*{0,2}(?:From|Von|De):/;
const HEADER_LINE = /^\*{0,2}(?:Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Para|Asunto):/;
// Mail programs break longer lines; also bounds the patterns.
const LINE_LENGTH_MAX = 400;

/**
 * The offset where quoted mail or a signature starts, or null. An attribution directly above a Markdown quote does not count, because that
 * quote has an end.
 */
function findQuotedMail(blocks: readonly RootContent[], source: string): number | null {
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'paragraph') continue;
    const { start, end } = sourceRange(block);
    const raw = source.slice(start, end).split(/(?<=\n|\r(?!\n))/);
    const lines = raw.map((line) => cutText(line, LINE_LENGTH_MAX).trim());
    for (const n of raw.keys()) {
      const count = isSeparator(lines, n) ? 1 : countAttributionLines(lines, n);
      if (count === null) continue;
      const isAtEnd = n + count === lines.length && !isSeparator(lines, n);
      if (isAtEnd && blocks[index + 1]?.type === 'blockquote') break;
      return start + raw.slice(0, n + count).join('').length;
    }
  }
  return null;
}

/** Mail programs break the attribution into up to three lines. */
function countAttributionLines(lines: readonly string[], n: number): number | null {
  const matchesAttribution = (count: number): boolean => {
    const text = lines.slice(n, n + count).join(' ');
    return (ATTRIBUTION.test(text) && VERB.test(text)) || ADDRESSED.test(text);
  };
  return [1, 2, 3].slice(0, lines.length - n).find(matchesAttribution) ?? null;
}

function isSeparator(lines: readonly string[], n: number): boolean {
  const line = lines[n] ?? '';
  const isHeader = (): boolean => lines.slice(n + 1, n + 6).filter((one) => HEADER_LINE.test(one)).length > 1;
  return SEPARATOR.test(line) || (HEADER_START.test(line) && isHeader());
}

/** Indices in the searched text; `end` is exclusive. */
type FoundWord = {
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
function findSlashWords(text: string): readonly FoundWord[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: trimEndCharacters(match[0].replace(ALL_INVISIBLE, ''), '.'),
  }));
}

/** `start`: offset of the slash in the source. */
export type CommentWord = {
  readonly start: number;
  readonly word: string;
  /** Set if the word is not plain text of a top-level paragraph, or is written differently from how it is displayed. */
  readonly mark: IgnoreReason | null;
  /** Set if the word's position cannot start a command. */
  readonly place: IgnoreReason | null;
  /** End of its line in the source: the line ending or hard break. */
  readonly lineEnd: number;
};

/** In source order. */
export function listCommandWords(source: string, { children }: Root): readonly CommentWord[] {
  const context: Context = {
    source,
    email: findQuotedMail(children, source) ?? source.length,
    html: findFirstHtml(children) ?? source.length,
  };
  return children.flatMap((block) => {
    if (block.type === 'paragraph') return listParagraphWords(block, context);
    const { start, end } = sourceRange(block);
    return markedWords(source, start, end, MARKS[block.type] ?? 'markup');
  });
}

/** The slash words of an unparsed comment, all with the same reason. */
export function rawWords(source: string, reason: IgnoreReason): readonly CommentWord[] {
  return markedWords(source, 0, source.length, reason);
}

type Context = {
  readonly source: string;
  /** Start of a quoted mail. */
  readonly email: number;
  /** Start of the first HTML: the display of later text depends on the browser. */
  readonly html: number;
};

/** Other nodes count as `markup`. */
const MARKS: { readonly [type in RootContent['type']]?: IgnoreReason } = {
  blockquote: 'quote',
  code: 'code',
  inlineCode: 'code',
  definition: 'link',
  link: 'link',
  linkReference: 'link',
};

function findFirstHtml(blocks: readonly RootContent[]): number | null {
  for (const block of blocks)
    for (const node of walkNodes(block))
      if (node.type === 'html' && !IMAGES.test(node.value)) return sourceRange(node).start;
  return null;
}

// GitHub's HTML for a pasted image cannot contain text.
const IMAGES = /^(?:<img(?:\s[\w-]+="[^"<>]*")*\s*\/?>\s*)+$/;

function markedWords(source: string, start: number, end: number, mark: IgnoreReason): readonly CommentWord[] {
  return findSlashWords(unescapeSource(source.slice(start, end))).map((found) => ({
    start: start + found.start,
    word: found.word,
    mark,
    place: null,
    lineEnd: start + found.end,
  }));
}

function listParagraphWords(paragraph: Paragraph, { source, email, html }: Context): readonly CommentWord[] {
  const { start, end } = sourceRange(paragraph);
  const text = source.slice(start, end);
  const found = findSlashWords(unescapeSource(text));
  if (found.length === 0) return [];
  const marks = buildMarks(paragraph, text, start);
  // Direction marks affect other lines, and numeric character references hide characters.
  const isHidden = REORDERING.test(text) || (text.includes('&') && hasInvisible(sourceText(paragraph)));
  const hidden = html < end ? 'markup' : isHidden ? 'invisible' : null;
  let line = { start: -1, end: -1 };
  return found.map((one) => {
    const at = start + one.start;
    const isFirst = at > line.end;
    if (isFirst) line = { start: lineStart(source, at), end: lineEnd(source, at) };
    const before = isFirst ? ignoreReasonBefore(source.slice(line.start, at)) : 'not-line-start';
    const isLineHidden = before === null && hasInvisible(source.slice(line.start, line.end));
    return {
      start: at,
      word: one.word,
      mark: at >= email ? 'quote' : findMark(one, text, marks),
      place: before ?? hidden ?? (isLineHidden ? 'invisible' : null),
      lineEnd: marks[line.end - 1 - start] === 'break' ? line.end - 1 : line.end,
    };
  });
}

type Marks = readonly (IgnoreReason | 'break' | undefined)[];

/** Per character: why it is not plain text. */
function buildMarks(paragraph: Paragraph, text: string, offset: number): Marks {
  const marks: (IgnoreReason | 'break' | undefined)[] = Array.from({ length: text.length });
  for (const node of paragraph.children) {
    const { start, end } = sourceRange(node);
    if (node.type !== 'text' && node.type !== 'footnoteReference')
      marks.fill(node.type === 'break' ? node.type : (MARKS[node.type] ?? 'markup'), start - offset, end - offset);
  }
  // GitHub renders text between `$$` as a formula.
  for (const { index, 0: formula } of text.matchAll(/\$\$[^$]+\$\$/g))
    marks.fill('code', index, index + formula.length);
  return marks;
}

/** Also true for escaped or numeric characters and adjacent markup. */
function findMark({ start, end }: FoundWord, text: string, marks: Marks): IgnoreReason | null {
  for (let n = start; n <= end; n += 1) {
    const mark = marks[n];
    if (mark !== undefined && mark !== 'break') return mark;
  }
  return text[start - 1] === '\\' || text.slice(start, end).includes('&') ? 'markup' : null;
}

/** Why the word is not the first of its line. */
function ignoreReasonBefore(before: string): IgnoreReason | null {
  if (/^[ \t]*$/.test(before)) return null;
  if (isBlank(before)) return 'invisible';
  return isBlank(before.replace(/<[^<>]*>|&#?\w{1,31};/g, '')) ? 'markup' : 'not-line-start';
}

function sourceText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(sourceText).join('') : '';
}

/** Replaces escaped or struck slashes and character references by the displayed characters, without changing offsets. */
function unescapeSource(source: string): string {
  return source
    .replace(/\\(?=\/)|~(?=\/[^~\r\n]{1,200}~)/g, ' ')
    .replace(/&(?:sol|#0{0,5}(\d{2,5})|#x0{0,4}([0-9a-f]{2,4}));/gi, (reference, decimal, hex) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '2f', 16) : Number(decimal);
      return String.fromCharCode(code).padEnd(reference.length, '\u2060');
    });
}
