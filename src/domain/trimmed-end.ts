/** Trims characters from the end in linear time; a regular expression ending in `$` is quadratic on long runs. */

/** `signs` is a set of single characters. */
export function trimmedEnd(text: string, signs: string): string {
  return text.slice(0, text.length - runAtEnd(text, signs));
}

/** Number of trailing `signs`. */
export function runAtEnd(text: string, signs: string): number {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.length - end;
}
