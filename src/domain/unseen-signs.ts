/** Signs that a text has and that nobody sees in it: what is shown to people leaves them out, and what is run has them. */

/** Format characters (zero width, bidi, soft hyphen, tags), whatever else shows as nothing, and private use; for a pattern with `u`. */
export const INVISIBLE = String.raw`\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}`;

// Beside what ends a line or stands for blanks, which a text shows by its shape.
const UNSEEN = new RegExp(String.raw`[${INVISIBLE}\p{Zl}\p{Zp}]|(?![\t\n\r])\p{Cc}`, 'u');

/** The first of them, as Unicode writes it: `U+200B`; null where everything is seen. */
export function unseenSign(text: string): string | null {
  const sign = UNSEEN.exec(text.toWellFormed())?.[0];
  return sign === undefined
    ? null
    : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
