/** Finds the words that every match of a pattern contains, so that the watch can skip all lines without them. */

/** Shorter words occur in nearly every line. */
const WORD_LENGTH_MIN = 4;
/** A group, an edge without width, something else than one character, or one character; then its quantifier. */
const ATOM =
  /(?<group>\((?:\?(?:[:=]|<\w+>|(?<not>!|<!|<=)))?)|(?<edge>[\^$]|\\b)|(?<other>\[(?:\\.|[^\]\\])*\]|\\k<\w+>|\\(?!x)\w|\.|[^ -~])|\\x(?<hex>[\da-f]{2})|\\?(?<sign>[ -~])/sy;
const QUANTIFIER = /(?:(?<none>[*?]|\{0(?:,\d*)?\})|\+|\{[\d,]+\})\??/y;

/** ASCII words, of which every match of the pattern contains at least one; empty if the pattern has no such words. */
export function wordsOfPattern({ source }: RegExp): readonly string[] {
  return readAlternatives(source, 0).words;
}

type Read = { readonly words: readonly string[]; readonly end: number };

/** Reads alternatives up to the end of their group. If one of them has no words, the group has none. */
function readAlternatives(source: string, start: number): Read {
  const found: (readonly string[])[] = [];
  let at = start - 1;
  do {
    const { words, end } = readSequence(source, at + 1);
    found.push(words);
    at = end;
  } while (source[at] === '|');
  return { words: found.some(({ length }) => length === 0) ? [] : found.flat(), end: at };
}

/** Keeps the part of a sequence whose shortest word is the longest. */
function readSequence(source: string, start: number): Read {
  let best: readonly string[] = [];
  let word = source[start] === '^' ? '\n' : '';
  const keep = (words: readonly string[]): void => {
    if (shortestLength(words) > Math.max(shortestLength(best), WORD_LENGTH_MIN - 1)) best = words;
  };
  const endWord = (): void => {
    // A prefix may precede the line, so its start counts only for a word that is too short by itself.
    const own = word.replace(/^\n/, '');
    keep([own.length < WORD_LENGTH_MIN ? word : own]);
    word = '';
  };
  let at = start;
  while (at < source.length && source[at] !== '|' && source[at] !== ')') {
    const atom = matchAt(ATOM, source, at);
    const { group, not, edge, other, hex, sign = String.fromCharCode(Number.parseInt(hex ?? '', 16)) } = atom;
    at += atom[''].length;
    const inner = group === undefined ? null : readAlternatives(source, at);
    if (inner !== null) at = inner.end + 1;
    const quantifier = matchAt(QUANTIFIER, source, at);
    at += quantifier[''].length;
    const isNeeded = quantifier['none'] === undefined;
    const isSign = inner === null && edge === undefined && other === undefined;
    if (isSign && isNeeded) word += sign;
    if (edge === undefined && (!isSign || quantifier[''] !== '')) endWord();
    if (inner !== null && not === undefined && isNeeded) keep(inner.words);
  }
  endWord();
  return { words: best, end: at };
}

function shortestLength(words: readonly string[]): number {
  return words.length === 0 ? 0 : Math.min(...words.map(({ length }) => length));
}

/** The groups of a match at this place, and the whole match under the empty name. */
function matchAt(
  pattern: RegExp,
  source: string,
  at: number,
): Readonly<Partial<Record<string, string>>> & { '': string } {
  pattern.lastIndex = at;
  const match = pattern.exec(source);
  return { ...match?.groups, '': match?.[0] ?? '' };
}
