/** Patterns in which `*` matches anything. The worst-case time is pattern length × text length. */

/** Whether `pattern` matches the whole `text`; every character but `*` is literal. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, inText] = [0, 0];
  /** The position of the last `*` and how many characters it matched so far. On a mismatch it takes one more. */
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
