/** Finds secrets in a text, also escaped, encoded, wrapped over lines, and in several layers. */

import { trimmedEnd } from '../domain/trimmed-end.ts';
import { decoded, EVERY_WRITING, plainView, type View, WRITINGS, without } from './decoded-view.ts';

/** Half-open, in the original text. */
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
type Reading = { readonly whole: View; readonly plain: View; readonly base64: View };

/**
 * The text with up to three layers decoded, each with one encoding or all: a secret may contain text such as `\r` or `%41` that an encoder
 * left unchanged. A generator, because each view needs many times the text's memory. `read`: remaining layers per visited text.
 */
function* readings(view: View, left: number, read: Map<string, number>): Generator<View> {
  const before = read.get(view.text);
  if (before !== undefined && before >= left) return;
  read.set(view.text, left);
  if (before === undefined) yield view;
  // The last layer tries only all encodings together, to save half the cost.
  const writings = left > 1 ? [EVERY_WRITING, ...WRITINGS] : [EVERY_WRITING];
  for (const writing of left > 0 ? writings : []) {
    const inner = decoded(view, writing);
    if (inner !== null) yield* readings(inner, left - 1, read);
  }
}

function readingOf(whole: View): Reading {
  const plain = without(whole, WRAPPING);
  return { whole, plain, base64: { ...plain, text: plain.text.replaceAll('-', '+').replaceAll('_', '/') } };
}

function hexOf(view: View): View {
  const hex = without(without(view, WRAPPING), HEX_GAPS);
  return { ...hex, text: hex.text.replace(/[A-F]/g, (digit) => digit.toLowerCase()) };
}

/** A secret's form in each view. */
export type SecretForms = {
  readonly whole: string;
  readonly plain: readonly string[];
  readonly base64: readonly Aligned[];
  readonly hex: string;
};

/** Base64 digits determined by the secret alone, and the possible digits at its edges. */
type Aligned = { readonly core: string; readonly before: string; readonly after: string };

/** Null if the secret is too short. */
export function formsOf(secret: string): SecretForms | null {
  const whole = secret.trim();
  if (whole.length < CORE_CHARACTERS_MIN) return null;
  const bytes = Buffer.from(whole, 'utf8');
  const core = whole.replaceAll(WRAPPING, '');
  // A secret made mostly of quotes may leave too little.
  const plain = core.length < CORE_CHARACTERS_MIN ? [] : [...new Set([core, core.replaceAll(' ', '+')])];
  return {
    whole,
    plain,
    base64: [0, 1, 2].map((offset) => aligned(bytes, offset)),
    hex: bytes.toString('hex'),
  };
}

/** `offset`: bytes before it in a group of three, as with `user:` (RFC 4648). */
function aligned(bytes: Buffer, offset: number): Aligned {
  const all = trimmedEnd(Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64'), '=');
  const bits = (offset + bytes.length) * 8;
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(bits / 6);
  const begin = BASE64.indexOf(all[first - 1] ?? '');
  const end = BASE64.indexOf(all[last] ?? '');
  const ownAtBegin = first * 6 - offset * 8;
  const ownAtEnd = bits - last * 6;
  return {
    core: all.slice(first, last),
    before: digitsWhere(ownAtBegin, (digit) => digit % 2 ** ownAtBegin === begin % 2 ** ownAtBegin),
    after: digitsWhere(ownAtEnd, (digit) => digit >> (6 - ownAtEnd) === end >> (6 - ownAtEnd)),
  };
}

/** Empty if the digit contains no bit of the secret. */
function digitsWhere(ownBits: number, isSame: (digit: number) => boolean): string {
  return ownBits === 0 || ownBits === 6 ? '' : [...BASE64].filter((_, digit) => isSame(digit)).join('');
}

/** Unordered; spans may overlap. */
export function placesOf(text: string, known: readonly SecretForms[]): readonly Span[] {
  const spans: Span[] = [];
  const first = plainView(text);
  for (const view of readings(first, LAYERS_MAX, new Map())) {
    const reading = readingOf(view);
    for (const forms of known) for (const span of placesIn(reading, forms)) spans.push(span);
  }
  const hex = hexOf(first);
  for (const forms of known) for (const span of found(hex, forms.hex)) spans.push(span);
  return spans;
}

function placesIn({ whole, plain, base64 }: Reading, forms: SecretForms): readonly Span[] {
  return [
    ...found(whole, forms.whole),
    ...forms.plain.flatMap((form) => found(plain, form)),
    ...forms.base64.flatMap((one) => foundAligned(base64, one)),
  ];
}

function foundAligned(view: View, { core, before, after }: Aligned): readonly Span[] {
  return occurrences(view.text, core).map((at) => {
    const begin = at > 0 && before.includes(view.text[at - 1] ?? '?') ? at - 1 : at;
    const next = view.text[at + core.length];
    const end = at + core.length + (next !== undefined && after.includes(next) ? 1 : 0);
    return spanOf(view, begin, end);
  });
}

function found(view: View, form: string): readonly Span[] {
  return occurrences(view.text, form).map((at) => spanOf(view, at, at + form.length));
}

function occurrences(text: string, part: string): readonly number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function spanOf({ starts, ends }: View, begin: number, end: number): Span {
  return { start: starts[begin] ?? 0, end: ends[end - 1] ?? 0 };
}

/** Adjacent and overlapping spans are replaced once. */
export function replaced(text: string, spans: readonly Span[], replacement: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    if (start > at || pieces.length === 0) pieces.push(text.slice(at, Math.max(at, start)), replacement);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}
