/** Outside text on its way into the Markdown projection: shown as it is, never read as markup. */

/**
 * Text for a line of prose: on one line, with every character that Markdown or HTML reads escaped. Without it
 * a reason given in a command could end one of our blocks, or look like an entry.
 */
export function prose(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]~|#]/g, (character) => `\\${character}`);
}

/** Text as a code span, fenced by more backticks than it has in a row (CommonMark 6.1); empty text is `(none)`. */
export function code(text: string): string {
  const line = oneLine(text);
  if (line === '') return '(none)';
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // A comment's end inside a code span still ends a comment around it, and our blocks stand between comments.
  return `${fence}${pad}${line.replaceAll('<!--', '<! --').replaceAll('-->', '-- >')}${pad}${fence}`;
}

/** Named values as `name value, name value`. */
export function scalarsText(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => `${prose(name)} ${code(String(value))}`)
    .join(', ');
}

/** `2026-11-21 09:05 UTC` of an RFC 3339 moment in UTC, as the policy's logbook dates its entries. */
export function minuteOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

// Line ends of every kind, other control characters, and the marks that turn the direction of text.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

function oneLine(text: string): string {
  return text.replaceAll(BREAKS, ' ').trim();
}
