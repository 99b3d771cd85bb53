/** The one place where text becomes HTML: every value put into a template is escaped unless it is `Html` already. */

const markup: unique symbol = Symbol('markup');

/** A piece of finished markup; only `html` and `trustedHtml` make one. */
export type Html = { readonly [markup]: string };

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Tagged template for markup. Strings are escaped for element and quoted attribute positions alike, arrays are joined,
 * `null`, `undefined` and `false` vanish. Attributes must be quoted in the template, or escaping does not protect them.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((text, index) => text + (index < values.length ? toMarkup(values[index]) : ''));
  return { [markup]: parts.join('') };
}

/** Marks text as finished markup. Only for constants of this folder and for what the Markdown sanitiser gave back. */
export function trustedHtml(finished: string): Html {
  return { [markup]: finished };
}

/** The text to send to the browser. */
export function toMarkup(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(toMarkup).join('') : value[markup];
}

/**
 * A link target that cannot run code: http(s), mailto, or a path of this page; anything else becomes `#`.
 * Check runs and profiles carry addresses that other people chose, `javascript:` among them.
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
