/** All slash words of a comment, each with where it stands and why it is not plain text, if it is not. */

import type { Heading, Paragraph, RootContent, TableCell } from 'mdast';
import { emailStart } from './email-region.ts';
import { type Glyphs, type ReadingContext, rangeOf, seenIn } from './glyphs.ts';
import { pageOf } from './page.ts';
import type { ParsedMarkdown } from './parse-markdown.ts';
import { type PlainLine, plainLine } from './plain-line.ts';
import type { IgnoreReason } from './reading.ts';
import { type FoundWord, mayHaveSlashWord, slashWordsIn } from './slash-words.ts';
import { endOfLine } from './source-lines.ts';

/** A slash word. `start` is the offset of its slash in the source. */
export type CommentWord = {
  readonly start: number;
  readonly word: string;
  /** Why it is not plain text of a top-level paragraph, or null if it is. */
  readonly mark: IgnoreReason | null;
  /** Its line, if the word is plain text and the first slash word there. */
  readonly line: PlainLine | null;
};

type Context = ReadingContext & {
  readonly email: number | null;
  readonly words: CommentWord[];
};

/** The slash words of a parsed comment in the order of the source; `elementsMax` bounds its page. */
export function wordsOf(source: string, parsed: ParsedMarkdown, elementsMax: number): readonly CommentWord[] {
  const email = emailStart(parsed.root.children, source);
  const context: Context = { source, parsed, page: pageOf(parsed.root, elementsMax), email, words: [] };
  for (const block of parsed.root.children) readBlock(block, true, context);
  return context.words.toSorted((a, b) => a.start - b.start);
}

/** The slash words of a comment that is not parsed, all for one reason. */
export function rawWords(source: string, reason: IgnoreReason): readonly CommentWord[] {
  return slashWordsIn(source).map((found) => ({
    start: found.start,
    word: found.word,
    mark: reason,
    line: null,
  }));
}

function readBlock(block: RootContent, isTopLevel: boolean, context: Context): void {
  const { start, end } = rangeOf(block);
  if (!mayHaveSlashWord(context.source.slice(start, end))) return;
  const mark = context.page.markOf(block);
  switch (block.type) {
    case 'paragraph':
      readPhrasing(block, isTopLevel, context);
      break;
    case 'heading':
      readPhrasing(block, false, context);
      break;
    case 'blockquote':
    case 'footnoteDefinition':
      readInside(block.children, context);
      break;
    case 'list':
      for (const item of block.children) readInside(item.children, context);
      break;
    case 'table':
      for (const cell of block.children.flatMap((row) => row.children)) readPhrasing(cell, false, context);
      break;
    case 'html':
      readRaw(start, end, mark ?? 'html', context);
      break;
    case 'definition':
      readRaw(start, end, mark ?? 'link', context);
      break;
    default:
      // Code; a thematic break has no words.
      readRaw(start, end, mark ?? 'code', context);
  }
}

function readInside(blocks: readonly RootContent[], context: Context): void {
  for (const block of blocks) readBlock(block, false, context);
}

function readRaw(start: number, end: number, mark: IgnoreReason, { source, words }: Context): void {
  for (const found of slashWordsIn(source.slice(start, end)))
    words.push({ start: start + found.start, word: found.word, mark, line: null });
}

function readPhrasing(block: Paragraph | Heading | TableCell, isTopLevel: boolean, context: Context): void {
  const seen = seenIn(block.children, context);
  for (const unseen of seen.unseen) readRaw(unseen.start, unseen.end, unseen.reason, context);
  const { text, offsets } = seen.glyphs;
  const marks = withFormulas(seen.glyphs);
  for (const { found, isFirst } of withLines(text)) {
    const start = offsets[found.start] ?? 0;
    const isInEmail = isTopLevel && context.email !== null && start >= context.email;
    const mark = isInEmail ? 'email' : markOf(found, offsets, marks);
    const line = mark === null && isFirst ? plainLine(found, seen, context.source) : null;
    context.words.push({ start, word: found.word, mark, line });
  }
}

/** The words of a text, each with whether it is the first of its line. */
function withLines(text: string): readonly { readonly found: FoundWord; readonly isFirst: boolean }[] {
  let lineEnd = -1;
  return slashWordsIn(text).map((found) => {
    const isFirst = found.start > lineEnd;
    if (isFirst) lineEnd = endOfLine(text, found.start);
    return { found, isFirst };
  });
}

/** The first reason why a unit of the word is not plain, or that something unseen stands between two of them. */
function markOf(found: FoundWord, offsets: Glyphs['offsets'], marks: Glyphs['marks']): IgnoreReason | null {
  for (let n = found.start; n < found.end; n += 1) {
    const mark = marks[n];
    if (mark !== null && mark !== undefined) return mark;
    if (n > found.start && offsets[n] !== (offsets[n - 1] ?? 0) + 1) return 'html';
  }
  return null;
}

/** GitHub renders what stands between two double dollar signs as a formula: as good as code. */
function withFormulas({ text, marks }: Glyphs): Glyphs['marks'] {
  if (!text.includes('$$')) return marks;
  const marked = [...marks];
  for (const formula of text.matchAll(/\$\$[^$]+\$\$/g))
    for (let n = formula.index; n < formula.index + formula[0].length; n += 1) marked[n] ??= 'code';
  return marked;
}
