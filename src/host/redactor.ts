/** Redacts secrets before a text is stored or posted. */

import { trimEndCharacters } from '../domain/values.ts';
import { HIDDEN, maskMachineSecrets } from '../domain/written-secrets.ts';
import { createKept } from './memory.ts';

/** `starts[i]` and `ends[i]`: position of character `i` in the original. */
type View = { readonly text: string; readonly starts: Uint32Array; readonly ends: Uint32Array };

/** HTML's named references for ASCII characters (WHATWG HTML, *Named character references*). */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', AMP: '&', lt: '<', LT: '<', gt: '>', GT: '>', quot: '"', QUOT: '"', apos: "'", nbsp: ' ' },
  ...{ excl: '!', num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')', ast: '*', midast: '*', plus: '+' },
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
const WRITINGS: readonly RegExp[] = [PERCENT, REFERENCE, ESCAPE];
const EVERY_WRITING = new RegExp(`${PERCENT.source}|${REFERENCE.source}|${ESCAPE.source}`, 'gis');

/** The text without any decoding. */
function plainView(text: string): View {
  const starts = Uint32Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
}

/** Removes one layer of the encoding; null if there is none. */
function decodeView(view: View, writing: RegExp): View | null {
  // Most lines have nothing to decode and need no buffers.
  if (view.text.search(writing) === -1) return null;
  const writer = viewWriter(view);
  let at = 0;
  for (const match of view.text.matchAll(writing)) {
    const meant = decodeEscapeText(match[0]);
    if (meant === null) continue;
    writer.copy(at, match.index);
    at = match.index + match[0].length;
    writer.put(meant, match.index, at);
  }
  if (at === 0) return null;
  writer.copy(at, view.text.length);
  return writer.view();
}

function removeFromView(view: View, left: RegExp): View {
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

function decodeEscapeText(written: string): string | null {
  if (written.startsWith('%')) return UTF8.decode(Buffer.from(written.replaceAll('%', ''), 'hex'));
  if (written.startsWith('&')) {
    const name = written.replace(/^&|;$/g, '');
    if (!name.startsWith('#')) return NAMED[name] ?? null;
    return codePointText(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  }
  const sign = written.slice(1);
  if (/^u/i.test(sign) && sign.length > 1) return codePointText(Number.parseInt(sign.replace(/[^0-9a-f]/gi, ''), 16));
  if (/^x/i.test(sign) && sign.length > 1) return codePointText(Number.parseInt(sign.slice(1), 16));
  if (/^[0-3][0-7]{2}$/.test(sign)) return codePointText(Number.parseInt(sign, 8));
  return ESCAPES[sign] ?? sign;
}

function codePointText(point: number): string | null {
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

/** A half-open range in the original text. */
export type Span = { readonly start: number; readonly end: number };

/** For example JSON in HTML in a URL; each layer costs one pass. */
const LAYERS_MAX = 3;
/** Quotes and backslashes of shells and `repr`, and line ends of terminals and MIME. */
const WRAPPING = /[\\'"]|\r?\n[ \t]{0,64}/g;
/** Separators between bytes in hex dumps. */
const HEX_GAPS = /[\s:,-]|0x|\\x/gi;
/** Shorter values occur by chance. */
const CORE_CHARACTERS_MIN = 6;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The views in which a secret's forms are searched. */
type EncodedReading = { readonly whole: View; readonly plain: View; readonly base64: View };

/**
 * The text with up to three layers decoded, each with one encoding or all. A secret may contain text such as `\r` or `%41` that an encoder
 * left unchanged. A generator, because each view needs many times the text's memory. `read`: remaining layers per visited text.
 */
function* listReadings(view: View, left: number, read: Map<string, number>): Generator<View> {
  const before = read.get(view.text);
  if (before !== undefined && before >= left) return;
  read.set(view.text, left);
  if (before === undefined) yield view;
  // The last layer tries only all encodings together, to save half the cost.
  const writings = left > 1 ? [EVERY_WRITING, ...WRITINGS] : [EVERY_WRITING];
  for (const writing of left > 0 ? writings : []) {
    const inner = decodeView(view, writing);
    if (inner !== null) yield* listReadings(inner, left - 1, read);
  }
}

function buildReading(whole: View): EncodedReading {
  const plain = removeFromView(whole, WRAPPING);
  return { whole, plain, base64: { ...plain, text: plain.text.replaceAll('-', '+').replaceAll('_', '/') } };
}

function hexDigitsOnly(view: View): View {
  const hex = removeFromView(removeFromView(view, WRAPPING), HEX_GAPS);
  return { ...hex, text: hex.text.replace(/[A-F]/g, (digit) => digit.toLowerCase()) };
}

type SecretForms = {
  readonly whole: string;
  readonly plain: readonly string[];
  readonly base64: readonly Aligned[];
  readonly hex: string;
};

/** Base64 digits that depend only on the secret, and the possible digits at its edges. */
type Aligned = { readonly core: string; readonly before: string; readonly after: string };

/** Null if the secret is too short. */
function secretForms(secret: string): SecretForms | null {
  const whole = secret.trim();
  if (whole.length < CORE_CHARACTERS_MIN) return null;
  const bytes = Buffer.from(whole, 'utf8');
  const core = whole.replaceAll(WRAPPING, '');
  // A secret made mostly of quotes may leave too little.
  const plain = core.length < CORE_CHARACTERS_MIN ? [] : [...new Set([core, core.replaceAll(' ', '+')])];
  return { whole, plain, base64: [0, 1, 2].map((offset) => alignBase64(bytes, offset)), hex: bytes.toString('hex') };
}

/** `offset`: bytes before it in a group of three, as with `user:` (RFC 4648). */
function alignBase64(bytes: Buffer, offset: number): Aligned {
  const all = trimEndCharacters(Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64'), '=');
  const bits = (offset + bytes.length) * 8;
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(bits / 6);
  const begin = BASE64.indexOf(all[first - 1] ?? '');
  const end = BASE64.indexOf(all[last] ?? '');
  const ownAtBegin = first * 6 - offset * 8;
  const ownAtEnd = bits - last * 6;
  return {
    core: all.slice(first, last),
    before: digitClass(ownAtBegin, (digit) => digit % 2 ** ownAtBegin === begin % 2 ** ownAtBegin),
    after: digitClass(ownAtEnd, (digit) => digit >> (6 - ownAtEnd) === end >> (6 - ownAtEnd)),
  };
}

/** Empty if the digit contains no bit of the secret. */
function digitClass(ownBits: number, isSame: (digit: number) => boolean): string {
  return ownBits === 0 || ownBits === 6 ? '' : [...BASE64].filter((_, digit) => isSame(digit)).join('');
}

/** Unordered; spans may overlap. */
function findSecretSpans(text: string, known: readonly SecretForms[]): readonly Span[] {
  const spans: Span[] = [];
  const first = plainView(text);
  for (const view of listReadings(first, LAYERS_MAX, new Map())) {
    const reading = buildReading(view);
    for (const forms of known) for (const span of findInReading(reading, forms)) spans.push(span);
  }
  const hex = hexDigitsOnly(first);
  for (const forms of known) for (const span of findForm(hex, forms.hex)) spans.push(span);
  return spans;
}

function findInReading({ whole, plain, base64 }: EncodedReading, forms: SecretForms): readonly Span[] {
  return [
    ...findForm(whole, forms.whole),
    ...forms.plain.flatMap((form) => findForm(plain, form)),
    ...forms.base64.flatMap((one) => findAligned(base64, one)),
  ];
}

function findAligned(view: View, { core, before, after }: Aligned): readonly Span[] {
  return listOccurrences(view.text, core).map((at) => {
    const begin = at > 0 && before.includes(view.text[at - 1] ?? '?') ? at - 1 : at;
    const next = view.text[at + core.length];
    const end = at + core.length + (next !== undefined && after.includes(next) ? 1 : 0);
    return toSpan(view, begin, end);
  });
}

function findForm(view: View, form: string): readonly Span[] {
  return listOccurrences(view.text, form).map((at) => toSpan(view, at, at + form.length));
}

function listOccurrences(text: string, part: string): readonly number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function toSpan({ starts, ends }: View, begin: number, end: number): Span {
  return { start: starts[begin] ?? 0, end: ends[end - 1] ?? 0 };
}

/** Adjacent and overlapping spans are replaced once. */
function replaceSpans(text: string, spans: readonly Span[], replacement: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    if (start > at || pieces.length === 0) pieces.push(text.slice(at, Math.max(at, start)), replacement);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}

/** Removes all known secrets in any encoding, and everything that resembles a token. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => formsKept.get(secret, () => secretForms(secret)) ?? []);
  return maskMachineSecrets(known.length === 0 ? text : replaceSpans(text, findSecretSpans(text, known), HIDDEN));
}

/** A process has few secrets and redacts many lines. */
const FORMS_KEPT_MAX = 256;
const formsKept = createKept<SecretForms | null>(FORMS_KEPT_MAX);
