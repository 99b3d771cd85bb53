/**
 * The one place where outside text becomes Markdown: it is shown as the text that it is, and nothing is made from it:
 * no mention, reference, closing keyword, link, image, HTML, emphasis, emoji or formula.
 */

import { cleanLine, cleanLines } from './clean-text.ts';

/** Between a sign and what it would be joined with: GitHub looks for mentions after Markdown is read. Cleaned text holds none. */
const BREAK = '\u200b';
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  $: '&#36;',
};
const NOTHING = '(empty)';

/** Running text on one line, safe also in a table cell and at the start of a line. `max` counts characters. */
export function inlineText(text: string, max: number): string {
  const line = cleanLine(text, max);
  if (line === '') return NOTHING;
  return kept(apart(line))
    .replace(/^[-+=/]/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

// Times such as 12:30:00 hold no emoji; every other word between colons may be one.
function apart(line: string): string {
  return line
    .replace(/[@#]/g, `$&${BREAK}`)
    .replace(/(GH)-(?=\d)/gi, `$1-${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/(www)\.(?=\S)/gi, `$1${BREAK}.`)
    .replace(/:(?!\d\d:)(?=[\w+-]+:)/g, `:${BREAK}`)
    .replace(/(mailto|xmpp):/gi, `$1${BREAK}:`);
}

function kept(line: string): string {
  return line
    .replace(/[&<>|$]/g, (sign) => ENTITIES[sign] ?? sign)
    .replace(/[\\`*_[\]~!]/g, '\\$&')
    .replaceAll(BREAK, '&#8203;');
}

/** Inline code in running text. Its fence is longer than any run of backticks inside. */
export function inlineCode(text: string, max: number): string {
  const line = cleanLine(text, max);
  if (line === '') return NOTHING;
  return line.includes('|') ? htmlCode(line) : fencedInline(line);
}

/** A block of code; `max` counts characters. */
export function fenced(text: string, max: number): string {
  const lines = cleanLines(text, max);
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}text\n${lines}\n${fence}`;
}

/** A link that shows `label`, or the address as code where it is none that a browser should follow. */
export function link(label: string, address: string, max: number): string {
  const url = safeUrl(address);
  return url === null ? inlineCode(address, max) : `[${inlineText(label, max)}](${url})`;
}

/** The address with nothing in it that could end a link, or null unless it is http(s) without a password. */
export function safeUrl(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return null;
  return url.href.replace(
    /[^A-Za-z0-9/:.?=&%_#+,-]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

// Parsers disagree on how a bar in code is escaped inside a table, so that it is written as HTML.
function htmlCode(line: string): string {
  return `<code>${[...line].map((sign) => (/[\p{L}\p{N} ]/u.test(sign) ? sign : `&#${sign.codePointAt(0)};`)).join('')}</code>`;
}

function fencedInline(line: string): string {
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
