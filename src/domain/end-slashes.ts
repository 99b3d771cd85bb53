/** Places without the slashes that people end them with. */

/** In linear time, which a pattern at the end of a text is not. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end -= 1;
  return text.slice(0, end);
}
