/** Text of anybody, cut: a cut between the two halves of a character makes text that no canonical JSON and no UTF-8 can hold. */

/** The beginning, at most so many code units, without half a character at its end; what was ill-formed before is U+FFFD. */
export function cutText(text: string, max: number): string {
  const end = isHighHalf(text.charCodeAt(max - 1)) && text.length > max ? max - 1 : max;
  return text.slice(0, Math.max(0, end)).toWellFormed();
}

/** The end, at most so many code units, without half a character at its beginning. */
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
