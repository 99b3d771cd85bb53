/** Patterns in which `*` stands for anything, matched in time that grows with pattern × text and never worse. */

/** Whether the whole `text` is one that `pattern` describes; everything but `*` stands for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, inText] = [0, 0];
  /** Where the last `*` stood and how much it has taken so far: on a mismatch it takes one character more. */
  let star: { readonly at: number; readonly took: number } | null = null;
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = { at, took: inText };
      at += 1;
    } else if (pattern[at] === text[inText]) {
      at += 1;
      inText += 1;
    } else if (star !== null) {
      star = { at: star.at, took: star.took + 1 };
      at = star.at + 1;
      inText = star.took;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
