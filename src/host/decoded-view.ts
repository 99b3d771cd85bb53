/** A decoded text in which each character keeps its position in the original. */

/** `starts[i]` and `ends[i]`: position of character `i` in the original. */
export type View = { readonly text: string; readonly starts: Uint32Array; readonly ends: Uint32Array };

/** HTML's named references for ASCII characters (WHATWG HTML, *Named character references*). */
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

/** Percent-encoding (RFC 3986), one UTF-8 character per match. All parts of these patterns are bounded and cannot overlap. */
const PERCENT =
  /%(?:[c-d][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3}|[0-9a-f]{2})/gi;
const REFERENCE = /&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,16});?/gi;
/** Escapes of JSON, Python, JavaScript and the shell's `$'…'`. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-3][0-7]{2}|.)/gis;

/** Each encoding, and all of them together. */
export const WRITINGS: readonly RegExp[] = [PERCENT, REFERENCE, ESCAPE];
export const EVERY_WRITING = new RegExp(`${PERCENT.source}|${REFERENCE.source}|${ESCAPE.source}`, 'gis');

/** The text without any decoding. */
export function plainView(text: string): View {
  const starts = Uint32Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
}

/** Removes one layer of the encoding; null if there is none. */
export function decoded(view: View, writing: RegExp): View | null {
  // Most lines have nothing to decode and need no buffers.
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

/** Removes all matches. */
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
  readonly copy: (from: number, to: number) => void;
  /** Appends the decoded form of a part. */
  readonly put: (text: string, from: number, to: number) => void;
  readonly view: () => View;
};

/** Decoding never lengthens a text, so the buffers suffice. */
function viewWriter({ text, starts, ends }: View): ViewWriter {
  const pieces: string[] = [];
  const from = new Uint32Array(text.length);
  const to = new Uint32Array(text.length);
  let length = 0;
  return {
    copy: (begin, end) => {
      pieces.push(text.slice(begin, end));
      // A loop is much faster than `subarray` for short pieces.
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
