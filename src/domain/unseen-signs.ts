/** Signs that a text has and that readers do not see in it: what is shown to people leaves them out or shows a plain blank, and what is run has them. */

/**
 * The inside of a character class, for a pattern with `u`: format characters (zero width, bidi, soft hyphen, tags), private
 * use, the blank of Braille (a symbol to Unicode), and whatever else shows as nothing.
 */
export const INVISIBLE = String.raw`\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800`;

/** A pattern with `u`: the same, control characters, and every blank that a reader takes for a plain one. Tabs and line ends show by the shape of the text. */
export const UNSEEN = String.raw`[${INVISIBLE}]|(?![ \t\n\r])[\p{White_Space}\p{Cc}]`;

const UNSEEN_SIGN = new RegExp(UNSEEN, 'u');

/** The first of them, as Unicode writes it: `U+200B`; null where everything is seen. */
export function unseenSign(text: string): string | null {
  const sign = UNSEEN_SIGN.exec(text.toWellFormed())?.[0];
  return sign === undefined
    ? null
    : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
