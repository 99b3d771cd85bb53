/** Characters that readers cannot see: displayed text drops them, but a command would execute with them. */

/** Inside of a character class (flag `u`): format characters, private use, Braille blank, default ignorables. */
export const INVISIBLE = String.raw`\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800`;

/** Pattern (flag `u`): also control characters and unusual blanks. Tabs and line ends are visible in the layout. */
export const UNSEEN = String.raw`[${INVISIBLE}]|(?![ \t\n\r])[\p{White_Space}\p{Cc}]`;

const UNSEEN_SIGN = new RegExp(UNSEEN, 'u');

/** The first one as `U+200B`; null if there is none. */
export function unseenSign(text: string): string | null {
  const sign = UNSEEN_SIGN.exec(text.toWellFormed())?.[0];
  return sign === undefined
    ? null
    : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
