/** Signs cut off the end of a text. A pattern that ends in `$` looks for it from each place, which on a long run of the sign is its square. */

/** The text without the run of `signs` (single characters) at its end. */
export function trimmedEnd(text: string, signs: string): string {
  return text.slice(0, text.length - runAtEnd(text, signs));
}

/** How many of `signs` stand in a row at the end of the text. */
export function runAtEnd(text: string, signs: string): number {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.length - end;
}
