/** What a reader sees of a paragraph, character by character, each with its place in the source. */

import type { Nodes, PhrasingContent, Text } from 'mdast';
import { reorderingStart } from './characters.ts';
import type { Page } from './page.ts';
import type { ParsedMarkdown } from './parse-markdown.ts';
import type { IgnoreReason } from './reading.ts';

/** Three lists of one length, one entry for each UTF-16 unit that is seen. */
export type Glyphs = {
  readonly text: string;
  /** Where the unit stands in the source; for an entity, where its `&` stands. */
  readonly offsets: readonly number[];
  /** Why the unit is not plain text, or null if it is. */
  readonly marks: readonly (IgnoreReason | null)[];
};

/** A stretch of source whose text is not part of the paragraph as it is seen: a tag, a link's target, an image. */
type Unseen = { readonly start: number; readonly end: number; readonly reason: IgnoreReason };

export type Seen = {
  readonly glyphs: Glyphs;
  readonly unseen: readonly Unseen[];
  /** Offsets of hard line breaks. */
  readonly breaks: readonly number[];
  /** Offsets of HTML comments inside the paragraph. */
  readonly hidden: readonly number[];
  /** Where the order of what is seen first changes, looked for once for all lines of the paragraph; or null. */
  readonly reordered: number | null;
};

/** What the reading of one comment goes by. */
export type ReadingContext = {
  readonly source: string;
  readonly parsed: ParsedMarkdown;
  readonly page: Page;
};

type Sheet = {
  readonly text: string[];
  readonly offsets: number[];
  readonly marks: (IgnoreReason | null)[];
  readonly unseen: Unseen[];
  readonly breaks: number[];
  readonly hidden: number[];
};

/** What is seen of the content of a paragraph, heading or cell. */
export function seenIn(nodes: readonly PhrasingContent[], context: ReadingContext): Seen {
  const sheet: Sheet = { text: [], offsets: [], marks: [], unseen: [], breaks: [], hidden: [] };
  for (const node of nodes) write(node, context, sheet);
  const { offsets, marks, unseen, breaks, hidden } = sheet;
  const text = sheet.text.join('');
  return { glyphs: { text, offsets, marks }, unseen, breaks, hidden, reordered: reorderingStart(text) };
}

function write(node: PhrasingContent, context: ReadingContext, sheet: Sheet): void {
  const mark = context.page.markOf(node);
  const { start, end } = rangeOf(node);
  switch (node.type) {
    case 'text':
      writeText(node, mark, context, sheet);
      break;
    case 'inlineCode':
      writeCode(node.value, start, mark ?? 'code', context.source, sheet);
      break;
    case 'break':
      sheet.breaks.push(start);
      put('\n', start, mark, sheet);
      break;
    case 'html':
      if (/^<[!?]/.test(node.value)) sheet.hidden.push(start);
      sheet.unseen.push({ start, end, reason: mark === null || SPANS.has(mark) ? 'html' : mark });
      if (OBJECT_TAG.test(node.value)) put(OBJECT, start, mark ?? 'html', sheet);
      else if (BREAK_TAG.test(node.value)) put('\n', start, mark ?? 'html', sheet);
      break;
    case 'image':
    case 'imageReference':
      sheet.unseen.push({ start, end, reason: mark ?? 'image' });
      put(OBJECT, start, mark ?? 'image', sheet);
      break;
    case 'footnoteReference':
      put(OBJECT, start, mark ?? 'footnote', sheet);
      break;
    case 'link':
    case 'linkReference': {
      for (const child of node.children) write(child, context, sheet);
      const last = node.children.at(-1);
      const from = last === undefined ? start : rangeOf(last).end;
      sheet.unseen.push({ start: from, end, reason: mark ?? 'link' });
      break;
    }
    default:
      for (const child of node.children) write(child, context, sheet);
  }
}

// A tag in emphasis or a link is a tag all the same.
const SPANS: ReadonlySet<IgnoreReason> = new Set(['emphasis', 'link', 'strikethrough']);

function put(unit: string, offset: number, mark: IgnoreReason | null, sheet: Sheet): void {
  sheet.text.push(unit);
  sheet.offsets.push(offset);
  sheet.marks.push(mark);
}

// Stands for something that is seen and is no text.
const OBJECT = '\ufffc';
const OBJECT_TAG = /^<(?:img|video|audio|input)\b/i;
const BREAK_TAG = /^<(?:br|hr)\b/i;

/** Start and end of a node in the source. The parser gives every node that we read its place. */
export function rangeOf(node: Nodes): { readonly start: number; readonly end: number } {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) throw new Error(`a ${node.type} without its place`);
  return { start, end };
}

/** Lays the text beside its source: escapes and entities are marked; blanks and signs at line starts are not text. */
function writeText(node: Text, mark: IgnoreReason | null, context: ReadingContext, sheet: Sheet): void {
  const { start, end } = rangeOf(node);
  const { value } = node;
  const { source, parsed } = context;
  let at = start;
  let index = 0;
  while (index < value.length && at < end) {
    const unit = value[index] ?? '';
    const reference = parsed.references.get(at);
    if (reference !== undefined) {
      for (let n = 0; n < reference.length; n += 1) put(value[index + n] ?? '', at, mark ?? 'entity', sheet);
      index += reference.length;
      at = reference.end;
    } else if (parsed.escapes.has(at)) {
      put(unit, at + 1, mark ?? 'escape', sheet);
      index += 1;
      at += 2;
    } else if (isUnit(source[at], unit)) {
      put(unit, at, mark, sheet);
      index += 1;
      at += 1;
    } else at += 1;
  }
  // Nothing is left over as far as we know; if ever, it is not what stands in the source, so it never fires.
  for (; index < value.length; index += 1) put(value[index] ?? '', end, mark ?? 'escape', sheet);
}

function writeCode(value: string, start: number, mark: IgnoreReason, source: string, sheet: Sheet): void {
  let at = start;
  while (source[at] === '`') at += 1;
  // The box around code keeps what stands in it apart from the text before.
  put(OBJECT, start, mark, sheet);
  for (const unit of value.split('')) {
    const isBreak = unit === ' ' && /[\r\n]/.test(source[at] ?? '');
    while (at < source.length && !isUnit(source[at], unit) && !isBreak) at += 1;
    put(unit, at, mark, sheet);
    at += 1;
  }
}

// The parser turns NUL into the replacement character.
function isUnit(written: string | undefined, unit: string): boolean {
  return written === unit || (written === '\0' && unit === '\ufffd');
}
