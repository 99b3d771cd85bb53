/** All slash words of a comment, each with why it cannot be a command where it stands, if it cannot. */

import type { Nodes, Paragraph, Root, RootContent } from 'mdast';
import { hasInvisible, hasReordering, isBlank } from './characters.ts';
import { emailStart } from './email-region.ts';
import { nodesIn, rangeOf } from './parse-markdown.ts';
import type { IgnoreReason } from './reading.ts';
import { type FoundWord, slashWordsIn } from './slash-words.ts';
import { endOfLine, startOfLine } from './source-lines.ts';

/** A slash word. `start` is the offset of its slash in the source. */
export type CommentWord = {
  readonly start: number;
  readonly word: string;
  /** It is not text of a top-level paragraph, or not written as it is seen. */
  readonly mark: IgnoreReason | null;
  /** It is such text, and its line is not one that a command can start. */
  readonly place: IgnoreReason | null;
  /** Where its line ends in the source: at the line ending or hard break. */
  readonly lineEnd: number;
};

/** The slash words of a parsed comment in the order of the source. */
export function wordsOf(source: string, { children }: Root): readonly CommentWord[] {
  const context: Context = {
    source,
    email: emailStart(children, source) ?? source.length,
    html: firstHtml(children) ?? source.length,
  };
  return children.flatMap((block) => {
    if (block.type === 'paragraph') return wordsOfParagraph(block, context);
    const { start, end } = rangeOf(block);
    return markedWords(source, start, end, MARKS[block.type] ?? 'markup');
  });
}

/** The slash words of a comment that is not parsed, all for one reason. */
export function rawWords(source: string, reason: IgnoreReason): readonly CommentWord[] {
  return markedWords(source, 0, source.length, reason);
}

type Context = {
  readonly source: string;
  /** Where a quoted mail begins. */
  readonly email: number;
  /** Where the author's first HTML stands: what is seen behind it depends on a browser. */
  readonly html: number;
};

/** Everything else is `markup`. */
const MARKS: { readonly [type in RootContent['type']]?: IgnoreReason } = {
  blockquote: 'quote',
  code: 'code',
  inlineCode: 'code',
  definition: 'link',
  link: 'link',
  linkReference: 'link',
};

function firstHtml(blocks: readonly RootContent[]): number | null {
  for (const block of blocks)
    for (const node of nodesIn(block))
      if (node.type === 'html' && !IMAGES.test(node.value)) return rangeOf(node).start;
  return null;
}

// What GitHub writes for a pasted screenshot: nothing can stand in it.
const IMAGES = /^(?:<img(?:\s[\w-]+="[^"<>]*")*\s*\/?>\s*)+$/;

function markedWords(source: string, start: number, end: number, mark: IgnoreReason): readonly CommentWord[] {
  return slashWordsIn(unescaped(source.slice(start, end))).map((found) => ({
    start: start + found.start,
    word: found.word,
    mark,
    place: null,
    lineEnd: start + found.end,
  }));
}

function wordsOfParagraph(paragraph: Paragraph, { source, email, html }: Context): readonly CommentWord[] {
  const { start, end } = rangeOf(paragraph);
  const text = source.slice(start, end);
  const found = slashWordsIn(unescaped(text));
  if (found.length === 0) return [];
  const marks = marksIn(paragraph, text, start);
  // A change of direction reaches beyond its line, and a numbered character is not in the source of any.
  const isHidden = hasReordering(text) || (text.includes('&') && hasInvisible(textOf(paragraph)));
  const hidden = html < end ? 'markup' : isHidden ? 'invisible' : null;
  let line = { start: -1, end: -1 };
  return found.map((one) => {
    const at = start + one.start;
    const isFirst = at > line.end;
    if (isFirst) line = { start: startOfLine(source, at), end: endOfLine(source, at) };
    const before = isFirst ? whatIsBefore(source.slice(line.start, at)) : 'not-line-start';
    const isLineHidden = before === null && hasInvisible(source.slice(line.start, line.end));
    return {
      start: at,
      word: one.word,
      mark: at >= email ? 'quote' : markOf(one, text, marks),
      place: before ?? hidden ?? (isLineHidden ? 'invisible' : null),
      lineEnd: marks[line.end - 1 - start] === 'break' ? line.end - 1 : line.end,
    };
  });
}

type Marks = readonly (IgnoreReason | 'break' | undefined)[];

/** Why a character of the paragraph is not plain text, by its place in it. */
function marksIn(paragraph: Paragraph, text: string, offset: number): Marks {
  const marks: (IgnoreReason | 'break' | undefined)[] = Array.from({ length: text.length });
  for (const node of paragraph.children) {
    const { start, end } = rangeOf(node);
    if (node.type !== 'text' && node.type !== 'footnoteReference')
      marks.fill(
        node.type === 'break' ? node.type : (MARKS[node.type] ?? 'markup'),
        start - offset,
        end - offset,
      );
  }
  // GitHub renders what stands between two double dollar signs as a formula: as good as code.
  for (const { index, 0: formula } of text.matchAll(/\$\$[^$]+\$\$/g))
    marks.fill('code', index, index + formula.length);
  return marks;
}

/** What its author wrote as an escape or a number is not written as it is seen, and neither is what markup is glued to. */
function markOf({ start, end }: FoundWord, text: string, marks: Marks): IgnoreReason | null {
  for (let n = start; n <= end; n += 1) {
    const mark = marks[n];
    if (mark !== undefined && mark !== 'break') return mark;
  }
  return text[start - 1] === '\\' || text.slice(start, end).includes('&') ? 'markup' : null;
}

/** What keeps a word from being the first of its line. */
function whatIsBefore(before: string): IgnoreReason | null {
  if (/^[ \t]*$/.test(before)) return null;
  if (isBlank(before)) return 'invisible';
  return isBlank(before.replace(/<[^<>]*>|&#?\w{1,31};/g, '')) ? 'markup' : 'not-line-start';
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

/** The source with escaped or struck slashes and numbered characters as they are seen, each at the place of its first sign. */
function unescaped(source: string): string {
  return source
    .replace(/\\(?=\/)|~(?=\/[^~\r\n]{1,200}~)/g, ' ')
    .replace(/&(?:sol|#0{0,5}(\d{2,5})|#x0{0,4}([0-9a-f]{2,4}));/gi, (reference, decimal, hex) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '2f', 16) : Number(decimal);
      return String.fromCharCode(code).padEnd(reference.length, '\u2060');
    });
}
