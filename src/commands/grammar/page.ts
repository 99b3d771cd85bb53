/** The page that a browser makes of a comment, and where each piece of the comment is found on it. */

import type { Nodes, Root } from 'mdast';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, Parser } from 'parse5';
import { type Markup, markupOf, type Piece, pieceOf, type Rendered } from './markup.ts';
import type { IgnoreReason } from './reading.ts';

/** Why a node is not seen as plain text of the page's own paragraph, or null if it is; the outermost reason counts. */
export type Page = { readonly markOf: (node: Nodes) => IgnoreReason | null };

/**
 * Builds the page of a parsed comment as the HTML standard says, up to so many elements. The caller bounds the comment
 * first (`bounds.ts`).
 */
export function pageOf(root: Root, elementsMax: number): Page {
  const marks = marksOn(markupOf(root), elementsMax);
  return { markOf: (node) => marks.get(node) ?? null };
}

// Elements that the standard's parsing names nowhere; the others are parse5's own list.
const NAMES_WITHOUT_RULES =
  'abbr acronym audio bdi bdo blink canvas cite data datalist del dfn ins kbd legend map mark meter output picture ' +
  'progress q samp slot time video';
// GitHub drops a tag with any other name and shows what follows as if it were not there, so that `Vec<T>` in a
// sentence changes nothing.
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(html.TAG_NAMES),
  ...NAMES_WITHOUT_RULES.split(' '),
]);

/** What a browser shows of a comment. `text` has a line end at each element that begins a line of its own. */
export type ShownPage = { readonly text: string; readonly elements: ReadonlySet<string> };

/** The text and the elements of a parsed comment's page; null where it has more than so many elements. */
export function shownPageOf(root: Root, elementsMax: number): ShownPage | null {
  const { html: source, pieces } = markupOf(root);
  const parts: string[] = [];
  const elements = new Set<string>();
  let seen = 0;
  const open: Step[] = stepsInto(treeOf(source, elementsMax), NOWHERE);
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node } = step;
    parts.push(textOn(node, pieces));
    if (!('tagName' in node)) continue;
    seen += 1;
    // The page has no text inside Markdown's own blocks of code: the pieces have it.
    if (KNOWN.has(node.tagName) && !(node.tagName === 'pre' && node.childNodes.length === 0))
      elements.add(node.tagName);
    if (!INLINE_ELEMENTS.has(node.tagName)) parts.push('\n');
    open.push(...stepsInto(node, NOWHERE));
  }
  if (pieces.some(({ node }) => node.type === 'code' && node.value.trim().includes('\n')))
    elements.add('pre');
  return seen < elementsMax ? { text: parts.join(''), elements } : null;
}

/** What one node of the page adds to its text. */
function textOn(node: DefaultTreeAdapterTypes.ChildNode, pieces: readonly Piece[]): string {
  if (node.nodeName === '#text' && 'value' in node)
    return Array.from(node.value, (sign) => {
      const index = pieceOf(sign);
      return index === null ? sign : sourceText(pieces[index]);
    }).join('');
  return node.nodeName === '#comment' && 'data' in node && /^\d{1,6}$/.test(node.data)
    ? sourceText(pieces[Number(node.data)])
    : '';
}

function sourceText(piece: Piece | undefined): string {
  switch (piece?.node.type) {
    case 'text':
    case 'inlineCode':
      return piece.node.value;
    case 'code':
      return `\n${piece.node.value}\n`;
    case 'break':
      return '\n';
    default:
      return '';
  }
}

const INLINE_ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

const BODY = defaultTreeAdapter.createElement('body', html.NS.HTML, []);

type Around = {
  /** The paragraph of Markdown's that is around, if one is. */
  readonly paragraph: Rendered | null;
  /** The outermost element that makes text other than plain. */
  readonly first: Rendered | null;
};

/** A piece as it was met on the page, in the page's order. */
type Met = { readonly index: number; readonly mark: IgnoreReason | null };

function marksOn(markup: Markup, elementsMax: number): ReadonlyMap<Nodes, IgnoreReason> {
  const met = metOn(markup, elementsMax);
  const moved = movedOf(met, markup.pieces);
  const byIndex = Map.groupBy(
    met.filter((one): one is Met => 'index' in one),
    ({ index }) => index,
  );
  const marks = new Map<Nodes, IgnoreReason>();
  let isSwallowed = false;
  for (const [index, { node, kind }] of markup.pieces.entries()) {
    const [only, another] = byIndex.get(index) ?? [];
    // An unfinished tag or comment swallows what comes below; how far depends on what the page has there besides.
    isSwallowed ||= only === undefined && kind === 'text';
    const isUnclear = isSwallowed || another !== undefined || moved.has(index);
    const mark = isUnclear ? 'html' : (only?.mark ?? null);
    if (mark !== null) marks.set(node, mark);
  }
  return marks;
}

type Table = { readonly table: number };

/** The pieces in the order of the page, and the tables by the offset of their tag: a browser moves texts out of those. */
function metOn({ html: source, pieces, rendered }: Markup, elementsMax: number): readonly (Met | Table)[] {
  const met: (Met | Table)[] = [];
  // A list of its own instead of recursion: elements may be thousands deep.
  const open: Step[] = stepsInto(treeOf(source, elementsMax), NOWHERE);
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, around } = step;
    const indices =
      node.nodeName === '#text' && 'value' in node
        ? Array.from(node.value, pieceOf)
        : node.nodeName === '#comment' && 'data' in node
          ? [/^\d{1,6}$/.test(node.data) ? Number(node.data) : null]
          : [];
    for (const index of indices) {
      const piece = index === null ? undefined : pieces[index];
      if (index !== null && piece !== undefined) met.push({ index, mark: markAt(piece, around) });
    }
    if (!('tagName' in node)) continue;
    const offset = node.sourceCodeLocation?.startTag?.startOffset ?? node.sourceCodeLocation?.startOffset;
    const made = offset === undefined ? undefined : rendered.get(offset);
    if (node.tagName === 'table' && offset !== undefined) met.push({ table: offset });
    open.push(...stepsInto(node, within(around, node, made)));
  }
  return met;
}

/**
 * The tree of the markup. Formatting that nobody closed is made anew in each element below (HTML standard, "reconstruct
 * the active formatting elements"), so a few thousand tags can ask for millions of elements: it is built a few tags at a time, and
 * what comes after too many is on no page.
 */
function treeOf(source: string, elementsMax: number): DefaultTreeAdapterTypes.DocumentFragment {
  let elements = 0;
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement: (...of) => {
      elements += 1;
      return defaultTreeAdapter.createElement(...of);
    },
  };
  const parser = Parser.getFragmentParser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>(BODY, {
    sourceCodeLocationInfo: true,
    treeAdapter,
  });
  let from = 0;
  while (from < source.length && elements < elementsMax) {
    let to = from;
    for (let tags = 0; tags < TAGS_AT_ONCE && to < source.length; tags += 1) {
      const next = source.indexOf('<', to + 1);
      to = next < 0 ? source.length : next;
    }
    parser.tokenizer.write(source.slice(from, to), false);
    from = to;
  }
  parser.tokenizer.write('', true);
  return parser.getFragment();
}

// parse5 copies what it holds with every piece that it is given.
const TAGS_AT_ONCE = 8;

type Step = { readonly node: DefaultTreeAdapterTypes.ChildNode; readonly around: Around };

/** The children of a node, the first of them last. */
function stepsInto(node: DefaultTreeAdapterTypes.ParentNode, around: Around): Step[] {
  const { childNodes } = 'content' in node ? node.content : node;
  return childNodes.map((child) => ({ node: child, around })).toReversed();
}

const NOWHERE: Around = { paragraph: null, first: null };
const AUTHORS: Rendered = { reason: 'html', end: Number.POSITIVE_INFINITY };

function within(around: Around, node: DefaultTreeAdapterTypes.Element, made: Rendered | undefined): Around {
  if (around.first !== null) return around;
  if (made === undefined) return KNOWN.has(node.tagName) ? { ...around, first: AUTHORS } : around;
  if (node.tagName === 'p') return { ...around, paragraph: made };
  // A piece of a paragraph that ended early stands in none.
  const isOutside = around.paragraph === null && INLINE.has(made.reason);
  return made.reason === null ? around : { ...around, first: isOutside ? AUTHORS : made };
}

const INLINE: ReadonlySet<IgnoreReason | null> = new Set(['code', 'emphasis', 'link', 'strikethrough']);

function markAt({ offset, isInline }: Piece, { paragraph, first }: Around): IgnoreReason | null {
  if (first !== null) return offset < first.end ? first.reason : 'html';
  if (!isInline) return null;
  return paragraph !== null && offset < paragraph.end ? null : 'html';
}

/** What stands above something that was written before it: a browser moved it, and nobody sees it where it was written. */
function movedOf(met: readonly (Met | Table)[], pieces: readonly Piece[]): ReadonlySet<number> {
  const moved = new Set<number>();
  let earliest = Number.POSITIVE_INFINITY;
  for (const one of met.toReversed()) {
    const offset = 'table' in one ? one.table : (pieces[one.index]?.offset ?? 0);
    if ('index' in one && offset > earliest) moved.add(one.index);
    earliest = Math.min(earliest, offset);
  }
  return moved;
}
