/** Escapes outside text for the Markdown projection. */

/** One line with all Markdown and HTML characters escaped, so that text in a command cannot imitate an entry. */
export function prose(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]~|#]/g, '\\$&');
}

/** A code span, fenced by more backticks than the text has in a row (CommonMark 6.1); empty text becomes `(none)`. */
export function code(text: string): string {
  const line = oneLine(text);
  if (line === '') return '(none)';
  let fence = '`';
  while (line.includes(fence)) fence += '`';
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // HTML comment delimiters take effect even inside code spans, and comments delimit our blocks.
  return `${fence}${pad}${line.replaceAll('<!--', '<! --').replaceAll('-->', '-- >')}${pad}${fence}`;
}

/** `name value, name value`. */
export function scalarsText(values: { readonly [name: string]: string | number }): string {
  const named: string[] = [];
  for (const [name, value] of Object.entries(values)) named.push(`${prose(name)} ${code(String(value))}`);
  return named.join(', ');
}

/** `2026-11-21 09:05 UTC`, the policy's date format for entries. */
export function minuteOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

// Line ends, control characters and bidirectional marks.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

function oneLine(text: string): string {
  return text.replaceAll(BREAKS, ' ').trim();
}
