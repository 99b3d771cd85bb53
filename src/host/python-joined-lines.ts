/**
 * Line breaks inside brackets, which mean nothing in Python, but which tree-sitter-python 0.25 takes for the end of
 * a block when the next line is indented less than it.
 */

/**
 * The text with every line break and comment inside brackets turned into spaces, of the same length. Strings are
 * stepped over as far as they can be told without a parser (a quote inside an f-string's braces may mislead), so the
 * caller uses this text only where the original does not parse and this one does.
 */
export function joinBracketedLines(text: string): string {
  let joined = '';
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth = Math.max(0, depth - 1);
    const isLayout = token === '\n' || token === '\r' || token.startsWith('#') || token.startsWith('\\');
    joined += depth > 0 && isLayout ? ' '.repeat(token.length) : token;
  }
  return joined;
}

const TRIPLE = String.raw`'''(?:[^\\]|\\[\s\S])*?'''|"""(?:[^\\]|\\[\s\S])*?"""`;
const SINGLE = String.raw`'(?:[^\\'\n]|\\[\s\S])*'|"(?:[^\\"\n]|\\[\s\S])*"`;
const TOKEN = new RegExp(String.raw`${TRIPLE}|${SINGLE}|#[^\r\n]*|\\\r?\n|[^'"#\\()[\]{}\r\n]+|[\s\S]`, 'g');
