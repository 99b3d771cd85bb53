/** A text as it reads when one layer of writing is taken off, each character with the place that it stands at in the original. */

/** `starts[i]` and `ends[i]`: where character `i` stands in the original text. */
export type View = { readonly text: string; readonly starts: Uint32Array; readonly ends: Uint32Array };

/** Names of HTML's references for signs of ASCII (WHATWG HTML, *Named character references*). */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', AMP: '&', lt: '<', LT: '<', gt: '>', GT: '>', quot: '"', QUOT: '"', apos: "'", nbsp: ' ' },
  ...{
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    plus: '+',
  },
  ...{ comma: ',', period: '.', sol: '/', colon: ':', semi: ';', equals: '=', quest: '?', commat: '@' },
  ...{ lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_', UnderBar: '_' },
  ...{ grave: '`', DiacriticalGrave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', VerticalLine: '|' },
  ...{ rcub: '}', rbrace: '}', Tab: '\t', NewLine: '\n' },
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Percent-encoding (RFC 3986), a whole character of UTF-8 at once. Each piece of these patterns is bounded, and none begins inside of another. */
const PERCENT =
  /%(?:[c-d][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3}|[0-9a-f]{2})/gi;
/** HTML's references. */
const REFERENCE = /&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,16});?/gi;
/** The escapes of JSON, Python, JavaScript and the shell's `$'…'`. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-3][0-7]{2}|.)/gis;

/** The ways to write a text that a layer can be, and all of them at once. */
export const WRITINGS: readonly RegExp[] = [PERCENT, REFERENCE, ESCAPE];
export const EVERY_WRITING = new RegExp(`${PERCENT.source}|${REFERENCE.source}|${ESCAPE.source}`, 'gis');

/** The text itself. */
export function plainView(text: string): View {
  const starts = Uint32Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
}

/** The view with one layer of this writing read; null where there is none. */
export function decoded(view: View, writing: RegExp): View | null {
  // Most lines have nothing to read: they cost no buffers.
  if (view.text.search(writing) === -1) return null;
  const writer = viewWriter(view);
  let at = 0;
  for (const match of view.text.matchAll(writing)) {
    const meant = meaningOf(match[0]);
    if (meant === null) continue;
    writer.copy(at, match.index);
    at = match.index + match[0].length;
    writer.put(meant, match.index, at);
  }
  if (at === 0) return null;
  writer.copy(at, view.text.length);
  return writer.view();
}

/** The view without the characters that the pattern leaves out. */
export function without(view: View, left: RegExp): View {
  const writer = viewWriter(view);
  let at = 0;
  for (const match of view.text.matchAll(left)) {
    writer.copy(at, match.index);
    at = match.index + match[0].length;
  }
  if (at === 0) return view;
  writer.copy(at, view.text.length);
  return writer.view();
}

const UTF8 = new TextDecoder();

function meaningOf(written: string): string | null {
  if (written.startsWith('%')) return UTF8.decode(Buffer.from(written.replaceAll('%', ''), 'hex'));
  if (written.startsWith('&')) {
    const name = written.replace(/^&|;$/g, '');
    if (!name.startsWith('#')) return NAMED[name] ?? null;
    return pointOf(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  }
  const sign = written.slice(1);
  if (/^u/i.test(sign) && sign.length > 1)
    return pointOf(Number.parseInt(sign.replace(/[^0-9a-f]/gi, ''), 16));
  if (/^x/i.test(sign) && sign.length > 1) return pointOf(Number.parseInt(sign.slice(1), 16));
  if (/^[0-3][0-7]{2}$/.test(sign)) return pointOf(Number.parseInt(sign, 8));
  return ESCAPES[sign] ?? sign;
}

function pointOf(point: number): string | null {
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : null;
}

type ViewWriter = {
  /** Takes over a part of the view as it is. */
  readonly copy: (from: number, to: number) => void;
  /** Writes what a part of the view means. */
  readonly put: (text: string, from: number, to: number) => void;
  readonly view: () => View;
};

/** No layer of writing makes a text longer, so the places fit in what the view had. */
function viewWriter({ text, starts, ends }: View): ViewWriter {
  const pieces: string[] = [];
  const from = new Uint32Array(text.length);
  const to = new Uint32Array(text.length);
  let length = 0;
  return {
    copy: (begin, end) => {
      pieces.push(text.slice(begin, end));
      // Sign by sign: pieces are short, and a `subarray` for each costs many times what it copies.
      for (let at = begin; at < end; at += 1, length += 1) {
        from[length] = starts[at] ?? 0;
        to[length] = ends[at] ?? 0;
      }
    },
    put: (meant, begin, end) => {
      pieces.push(meant);
      for (const stop = length + meant.length; length < stop; length += 1) {
        from[length] = starts[begin] ?? 0;
        to[length] = ends[end - 1] ?? 0;
      }
    },
    view: () => ({ text: pieces.join(''), starts: from.subarray(0, length), ends: to.subarray(0, length) }),
  };
}
