/** Which elements are open at a point of the comment: text inside one is not plain, and `<details>` even hides it. */

import { limits } from '../../domain/limits.ts';
import type { IgnoreReason } from './reading.ts';

const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);
// Their effect is carried over the end of the element around them (HTML standard, "active formatting elements").
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
// An end tag inside one of these ends nothing outside it (HTML standard, "have an element in scope").
const SCOPES = new Set('applet caption html marquee object table td template th'.split(' '));
const TABLE_PARTS = new Set('caption table tbody td tfoot th thead tr'.split(' '));
// Elements of HTML. GitHub drops a tag with any other name and shows what follows as if it were not there, so that
// `Vec<T>` in a sentence changes nothing.
const KNOWN = new Set([
  ...FORMATTING,
  ...'abbr acronym address applet article aside audio bdi bdo blink blockquote body button canvas caption'.split(
    ' ',
  ),
  ...'center cite colgroup data datalist dd del details dfn dialog dir div dl dt fieldset figcaption'.split(
    ' ',
  ),
  ...'figure footer form frameset h1 h2 h3 h4 h5 h6 h7 h8 head header hgroup html iframe ins kbd label'.split(
    ' ',
  ),
  ...'legend li listing main map mark marquee math menu meter nav noembed noframes noscript object ol'.split(
    ' ',
  ),
  ...'optgroup option output p picture plaintext pre progress q rb rp rt rtc ruby samp script search'.split(
    ' ',
  ),
  ...'section select slot span style sub summary sup svg table tbody td template textarea tfoot th thead'.split(
    ' ',
  ),
  ...'time title tr ul var video xmp'.split(' '),
]);

// A comment ends where a browser ends it, also the odd ways; `<!`, `<?` and `</1` are comments to the next `>`.
const COMMENT = /<!--(?:-?>|[\s\S]*?--!?>)|<(?:!(?!--)|\?|\/[^A-Za-z])[^>]*>/y;
// The name is taken whole (the lookahead gives nothing back), so that a quote in it starts no attribute's value.
const TAG = /<(\/?)(?=([A-Za-z][^\s/>]*))\2(?:"[^"]*"|'[^']*'|[^'">])*>/y;

// Their start tag ends the paragraph that it stands in, so that the end of the paragraph does not end them (HTML
// standard, "close a p element").
const ENDS_PARAGRAPH = new Set([
  ...'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer'.split(
    ' ',
  ),
  ...'form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section'.split(
    ' ',
  ),
  ...'summary table ul xmp'.split(' '),
]);

// An end tag ends nothing beyond one of these, unless it is theirs (HTML standard, "special").
const SPECIAL = new Set([
  ...ENDS_PARAGRAPH,
  ...SCOPES,
  ...TABLE_PARTS,
  ...'body button colgroup dd dt frameset head iframe noembed noframes noscript script select style textarea title'.split(
    ' ',
  ),
]);
// Their end tag looks for its element through others, but not through a scope's bound (HTML standard, "in body").
const ENDS_THROUGH = new Set([...ENDS_PARAGRAPH, ...SCOPES, 'button', 'dd', 'dt', 'li', 'select']);

/** A block of Markdown, which is an element of the page like those that its author wrote. */
export type MarkdownElement = '#paragraph' | '#heading' | '#quote' | '#item' | '#other';

/** What Markdown makes of `~~`, `*`, `**` and `[](…)`: elements that a tag of the author's can end, as a browser builds the page. */
export type InlineElement = 'a' | 'del' | 'em' | 'strong';

export type OpenElements = {
  /** Takes the raw text of one HTML node of the tree, in the order of the comment. */
  readonly feed: (html: string) => void;
  /**
   * Why what comes next is not plain text, or null if it is: it stands in an element, or no longer in the paragraph that
   * Markdown began. The outermost reason counts.
   */
  readonly mark: () => IgnoreReason | null;
  /** A block begins: a paragraph of HTML ends here. */
  readonly enter: (element: MarkdownElement) => void;
  /** The block ends, and with it what was opened inside, but for formatting. */
  readonly leave: (element: MarkdownElement) => void;
  /** An inline element of Markdown's begins; what stands in it is not plain for this reason. */
  readonly open: (element: InlineElement, reason: IgnoreReason) => void;
  /** Its end is an end tag like any other: what it ends is the innermost element of that name. */
  readonly close: (element: InlineElement) => void;
};

/** An open element, the outermost first in a list; Markdown's blocks have no reason here, their place in the tree is one. */
type Open = { readonly name: string; readonly reason: IgnoreReason | null };
type Stack = readonly Open[];

/** Follows the HTML of one comment. A tag or comment that is not finished in its node swallows what comes below. */
export function trackElements(): OpenElements {
  let stack: Stack = [];
  let isSwallowing = false;
  let inner: MarkdownElement | null = null;
  return {
    feed: (html) => {
      let from = html.indexOf('<');
      while (from >= 0 && !isSwallowing) {
        const piece = pieceAt(html, from);
        if (piece === null) isSwallowing = startsMarkup(html, from);
        else if (piece.name !== null)
          stack = piece.isEnd ? without(stack, piece.name) : withOpened(stack, piece.name);
        // Each tag looks through what is open. Nobody sees what stands so deep, nor what comes after it.
        isSwallowing ||= stack.length > limits.commentElementsOpenMax;
        from = html.indexOf('<', piece === null ? from + 1 : piece.end);
      }
    },
    mark: () =>
      isSwallowing || isEndedEarly(stack, inner)
        ? 'html'
        : (stack.find(({ reason }) => reason !== null)?.reason ?? null),
    enter: (element) => {
      const around = ended(stack, 'p');
      // A heading in a heading ends it (HTML standard, "in body").
      const isInHeading = element === '#heading' && /^h[1-6]$/.test(around.at(-1)?.name ?? '');
      stack = [...(isInHeading ? around.slice(0, -1) : around), { name: element, reason: null }];
      inner = element;
    },
    leave: (element) => {
      // The end of a paragraph that is over already ends one of the author's, if one is open.
      stack = ended(stack, isEndedEarly(stack, element) ? 'p' : element);
      inner = null;
    },
    open: (element, reason) => {
      // A link in a link ends it.
      stack = [...(element === 'a' ? without(stack, 'a') : stack), { name: element, reason }];
    },
    close: (element) => {
      // Where the author's element was the inner one, Markdown's goes on, and nobody sees a sign that ends it.
      stack = without(stack, element).map((one) => (one.name === element ? { ...one, reason: 'html' } : one));
    },
  };
}

type Piece = { readonly end: number; readonly name: string | null; readonly isEnd: boolean };

function pieceAt(html: string, from: number): Piece | null {
  COMMENT.lastIndex = from;
  if (COMMENT.test(html)) return { end: COMMENT.lastIndex, name: null, isEnd: false };
  if (html.startsWith('<!--', from)) return null;
  TAG.lastIndex = from;
  const tag = TAG.exec(html);
  if (tag === null) return null;
  return { end: TAG.lastIndex, name: (tag[2] ?? '').toLowerCase(), isEnd: tag[1] === '/' };
}

function startsMarkup(html: string, from: number): boolean {
  return /^<[A-Za-z!?/]/.test(html.slice(from, from + 2));
}

function withOpened(stack: Stack, name: string): Stack {
  const around = ENDS_PARAGRAPH.has(name) ? ended(ended(stack, '#paragraph'), 'p') : stack;
  return KNOWN.has(name) && !VOID.has(name) ? [...around, { name, reason: 'html' }] : around;
}

// `a <div></div> b`: the page's paragraph ends at the `<div>`.
function isEndedEarly(stack: Stack, element: MarkdownElement | null): boolean {
  return element === '#paragraph' && lastOf(stack, element) < 0;
}

function lastOf(stack: Stack, name: string): number {
  return stack.findLastIndex((one) => one.name === name);
}

/** Ends the innermost element of a name and what is in it, but for formatting, which goes on behind it. */
function ended(stack: Stack, name: string): Stack {
  const at = lastOf(stack, name);
  if (at < 0) return stack;
  return [...stack.slice(0, at), ...stack.slice(at + 1).filter((inside) => FORMATTING.has(inside.name))];
}

/** What an end tag leaves open (HTML standard, "in body": any other end tag, and the adoption agency for formatting). */
function without(stack: Stack, name: string): Stack {
  const at = lastOf(stack, name);
  if (at < 0) return name === 'p' ? ended(stack, '#paragraph') : stack;
  const inside = stack.slice(at + 1);
  if (!TABLE_PARTS.has(name) && inside.some((one) => SCOPES.has(one.name))) return stack;
  // Its end is not seen in what is inside of it, but for what is no formatting and no block: that ends with it.
  if (FORMATTING.has(name))
    return [...stack.slice(0, at), ...inside.filter((one) => FORMATTING.has(one.name) || isSpecial(one))];
  return !ENDS_THROUGH.has(name) && inside.some(isSpecial) ? stack : ended(stack, name);
}

function isSpecial({ name }: Open): boolean {
  return SPECIAL.has(name) || name.startsWith('#');
}
