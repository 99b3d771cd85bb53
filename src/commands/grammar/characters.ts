/** Invisible and confusable characters. */

/** Inside of a character class: invisible characters, without blanks. */
export const INVISIBLE_CLASS =
  '\\p{Default_Ignorable_Code_Point}\\p{Cf}\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2800';

/**
 * Slash and its lookalikes (confusables.txt without CJK strokes): fullwidth, division, fraction, big solidus, box-drawing and rising
 * diagonals, caret insertion, Philippine and Coptic marks.
 */
export const SLASH_CLASS = '/\\uff0f\\u2215\\u2044\\u29f8\\u2571\\u27cb\\u2041\\u1735\\u2cc6';

/** Circled and boxed letters, which are not letters in Unicode. */
export const LETTER_CLASS = '\\p{L}\\u24b6-\\u24e9\\u{1f130}-\\u{1f189}';

// Browsers render Unicode's line and paragraph separators as blanks; other programs treat them as line ends.
const INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}\\p{Zl}\\p{Zp}]`, 'u');
const ALL_INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}]`, 'gu');
const BLANK_OR_INVISIBLE = new RegExp(`^[\\s${INVISIBLE_CLASS}]*$`, 'u');
// Joiners and selectors are normal inside an emoji and hidden elsewhere.
const EMOJI =
  /[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*/gu;
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;

/** Zero-width, bidirectional, control or filler characters outside an emoji. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text) && INVISIBLE.test(text.replace(EMOJI, ''));
}

/** Embeddings, overrides or isolates, which can affect other lines. */
export function hasReordering(text: string): boolean {
  return REORDERING.test(text);
}

/** True if nothing but blanks is visible. */
export function isBlank(text: string): boolean {
  return BLANK_OR_INVISIBLE.test(text);
}

/** Removes invisible characters. */
export function visible(text: string): string {
  return text.replace(ALL_INVISIBLE, '');
}

// Letters that resemble ASCII ones in common typefaces (from Unicode's confusables.txt, for the letters in command names). NFKD handles
// compatibility forms.
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ѐ: 'e', һ: 'h', н: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l' },
    ...{ м: 'm', о: 'o', р: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', ѵ: 'v', ԝ: 'w', х: 'x', у: 'y', п: 'n' },
    ...{ α: 'a', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', σ: 'o', τ: 't', υ: 'u', χ: 'x' },
    ...{ ɑ: 'a', ɡ: 'g', ı: 'i', ȷ: 'j', ʟ: 'l', օ: 'o', ѡ: 'w', ս: 'u', հ: 'h', յ: 'j', ո: 'n', ց: 'g' },
    ...{ ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ꜰ: 'f', ɢ: 'g', ʜ: 'h', ɪ: 'i', ᴊ: 'j', ᴋ: 'k', ᴌ: 'l' },
    ...{ ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w', ʏ: 'y', ᴢ: 'z' },
    ...Object.fromEntries([...'／∕⁄⧸╱⟋⁁\u1735\u2cc6'].map((slash) => [slash, '/'])),
  }),
);
const COMBINING = /\p{M}/gu;
const DASHES = /[\p{Pd}\u2212\u02d7]/gu;

/** Maps letters, dashes and slashes to the ASCII characters that they resemble; lower-case. */
export function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(COMBINING, '').toLowerCase().replace(DASHES, '-');
  return Array.from(plain, (character) => LOOKALIKES.get(character) ?? character).join('');
}

/** Printable ASCII only. */
export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}
