/** The only place where text becomes HTML: every value in a template is escaped unless it is already `Html`. */

const markup: unique symbol = Symbol('markup');

/** Markup that is generated while the markup before it is already being sent to the browser. */
type Later = () => AsyncIterable<Html>;

/** A piece of finished markup, possibly with parts that follow later; only the functions of this file create one. */
export type Html = { readonly [markup]: readonly (string | Later)[] };

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Tagged template for markup. Strings are escaped for element and quoted attribute positions; arrays are joined;
 * `null`, `undefined` and `false` are omitted. Attributes must be quoted in the template, or escaping does not protect
 * them.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [markup]: joinPieces(strings.flatMap((text, index) => [text, ...toPieces(values[index])])) };
}

/** Marks text as finished markup. Use it only for constants of this folder and for the Markdown sanitiser's output. */
export function trustedHtml(finished: string): Html {
  return { [markup]: [finished] };
}

/** A place in the page that `make` fills piece by piece. It is called once, after the text before it has been sent. */
export function laterHtml(make: Later): Html {
  return { [markup]: [make] };
}

/** The whole text, for markup without later parts. */
export function toMarkup(value: HtmlValue): string {
  const [whole = '', ...later] = joinPieces(toPieces(value));
  if (later.length > 0 || typeof whole !== 'string')
    throw new TypeError('some of this markup comes later; it has to be streamed');
  return whole;
}

/** Yields the text in page order, as soon as it is available. */
export async function* streamMarkup(value: Html): AsyncGenerator<string> {
  for (const piece of value[markup])
    if (typeof piece === 'string') yield piece;
    else for await (const part of piece()) yield* streamMarkup(part);
}

function toPieces(value: HtmlValue): readonly (string | Later)[] {
  if (value === null || value === undefined || value === false) return [];
  if (typeof value === 'string') return [escapeText(value)];
  if (typeof value === 'number') return [String(value)];
  return isList(value) ? value.flatMap(toPieces) : value[markup];
}

/** Merges adjacent texts. */
function joinPieces(pieces: readonly (string | Later)[]): readonly (string | Later)[] {
  if (pieces.every((piece) => typeof piece === 'string')) return [pieces.join('')];
  const merged: (string | Later)[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  return merged;
}

/**
 * A link target that cannot run code: http(s), mailto, or a path of this page; anything else becomes `#`. Check runs
 * and profiles contain addresses that other people chose, possibly with `javascript:`.
 */
export function safeHref(target: string | null | undefined): string {
  if (target === null || target === undefined || target === '') return '#';
  if (/^(?:https?:\/\/|mailto:)/i.test(target)) return target;
  return /^(?:[/?#](?![/\\])|#)/.test(target) ? target : '#';
}

function isList(value: Html | readonly HtmlValue[]): value is readonly HtmlValue[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
