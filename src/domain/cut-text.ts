/** Truncates text without splitting a surrogate pair: canonical JSON and UTF-8 cannot represent half a pair. */

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
