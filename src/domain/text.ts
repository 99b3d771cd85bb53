/** Cuts and checks outside text. No cut splits a surrogate pair, which canonical JSON and UTF-8 cannot represent. */

/** The first `max` code units at most; ill-formed input becomes U+FFFD. */
export function cutText(text: string, max: number): string {
  const end = isHighHalf(text.charCodeAt(max - 1)) && text.length > max ? max - 1 : max;
  return text.slice(0, Math.max(0, end)).toWellFormed();
}

/** The last `max` code units at most; ill-formed input becomes U+FFFD. */
export function cutTextFromEnd(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  const begin = text.length - max;
  return text.slice(isLowHalf(text.charCodeAt(begin)) ? begin + 1 : begin).toWellFormed();
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Removes `signs` from the end, in linear time: a regular expression ending in `$` is quadratic on long runs. */
export function trimmedEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without slashes at the end. */
export function withoutEndSlashes(text: string): string {
  return trimmedEnd(text, '/');
}

/** Inside of a character class (flag `u`): format characters, private use, Braille blank, default ignorables. */
export const INVISIBLE = String.raw`\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800`;

/** Pattern (flag `u`): also control characters and unusual blanks. Tabs and line ends are visible in the layout. */
export const UNSEEN = String.raw`[${INVISIBLE}]|(?![ \t\n\r])[\p{White_Space}\p{Cc}]`;

const UNSEEN_SIGN = new RegExp(UNSEEN, 'u');

/** The first one as `U+200B`; null if there is none. */
export function unseenSign(text: string): string | null {
  const sign = UNSEEN_SIGN.exec(text.toWellFormed())?.[0];
  return sign === undefined ? null : codePointOf(sign);
}

/** `U+200B` for the first character. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
