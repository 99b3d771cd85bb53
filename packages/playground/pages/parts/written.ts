/** Shows text exactly, including invisible characters: those that change text direction, and those without a width. */
import { type Html, html } from '../html.ts';

/**
 * Direction marks and overrides (Unicode UAX 9), the zero-width space, the word joiner, the byte order mark and the
 * soft hyphen. Joiners count only next to Latin letters, where they have no function. A person who approves a change
 * must see the text that a program reads (CVE-2021-42574, "Trojan Source"; GitHub warns of the same characters).
 */
export const hiddenSigns =
  /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u200B\u2060\uFEFF\u00AD]|(?<=[\p{Script=Latin}\d_])[\u200C\u200D]|[\u200C\u200D](?=[\p{Script=Latin}\d_])/gu;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/**
 * Escaped like any text. An invisible character is shown by its number, and right-to-left letters do not move their
 * neighbours.
 */
export function showHiddenCharacters(text: string | null | undefined): Html {
  if (text === null || text === undefined) return html``;
  const pieces: Html[] = [];
  let from = 0;
  for (const match of text.matchAll(hiddenSigns)) {
    pieces.push(html`${text.slice(from, match.index)}`, renderCharacter(match[0]));
    from = match.index + match[0].length;
  }
  if (from === 0 && !rightToLeft.test(text)) return html`${text}`;
  return html`<bdi>${pieces}${text.slice(from)}</bdi>`;
}

/** `[U+202E]`, the usual notation. */
export function characterName(sign: string): string {
  return `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

function renderCharacter(hidden: string): Html {
  return html`<span class="hidden-sign" title="A sign that is not seen">${characterName(hidden)}</span>`;
}
