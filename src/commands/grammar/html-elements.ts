/** Which HTML elements are open at a point of the comment: text inside one is not plain, and `<details>` even hides it. */

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
const TAG = /<(\/?)([A-Za-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/y;

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

/** A block of Markdown, which is an element of the page like those that its author wrote. */
export type MarkdownElement = '#paragraph' | '#heading' | '#quote' | '#item' | '#other';

export type OpenElements = {
  /** Takes the raw text of one HTML node of the tree, in the order of the comment. */
  readonly feed: (html: string) => void;
  /** Whether what comes next stands in an element of the author's, or no longer in the paragraph that Markdown began. */
  readonly holdsText: () => boolean;
  /** A block begins: a paragraph of HTML ends here. */
  readonly enter: (element: MarkdownElement) => void;
  /** The block ends, and with it what was opened inside, but for formatting. */
  readonly leave: (element: MarkdownElement) => void;
};

/** Follows the HTML of one comment. A tag or comment that is not finished in its node swallows what comes below. */
export function trackElements(): OpenElements {
  let open: readonly string[] = [];
  let isSwallowing = false;
  let inner: MarkdownElement | null = null;
  return {
    feed: (html) => {
      let from = html.indexOf('<');
      while (from >= 0 && !isSwallowing) {
        const piece = pieceAt(html, from);
        if (piece === null) isSwallowing = startsMarkup(html, from);
        else if (piece.name !== null)
          open = piece.isEnd ? without(open, piece.name) : withOpened(open, piece.name);
        from = html.indexOf('<', piece === null ? from + 1 : piece.end);
      }
    },
    holdsText: () => isSwallowing || isEndedEarly(open, inner) || open.some((name) => !name.startsWith('#')),
    enter: (element) => {
      open = [...ended(open, 'p'), element];
      inner = element;
    },
    leave: (element) => {
      // The end of a paragraph that is over already ends one of the author's, if one is open.
      open = ended(open, isEndedEarly(open, element) ? 'p' : element);
      inner = null;
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

function withOpened(open: readonly string[], name: string): readonly string[] {
  const around = ENDS_PARAGRAPH.has(name) ? ended(ended(open, '#paragraph'), 'p') : open;
  return KNOWN.has(name) && !VOID.has(name) ? [...around, name] : around;
}

// `a <div></div> b`: the page's paragraph ends at the `<div>`.
function isEndedEarly(open: readonly string[], element: MarkdownElement | null): boolean {
  return element === '#paragraph' && !open.includes(element);
}

/** Ends the innermost element of a name and what is in it, but for formatting, which goes on behind it. */
function ended(open: readonly string[], name: string): readonly string[] {
  const at = open.lastIndexOf(name);
  if (at < 0) return open;
  return [...open.slice(0, at), ...open.slice(at + 1).filter((inner) => FORMATTING.has(inner))];
}

function without(open: readonly string[], name: string): readonly string[] {
  const at = open.lastIndexOf(name);
  if (at < 0) return name === 'p' ? ended(open, '#paragraph') : open;
  const inside = open.slice(at + 1);
  if (!TABLE_PARTS.has(name) && inside.some((inner) => SCOPES.has(inner))) return open;
  return FORMATTING.has(name) ? [...open.slice(0, at), ...inside] : ended(open, name);
}
