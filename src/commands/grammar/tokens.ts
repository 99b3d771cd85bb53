/** Splits a command line's arguments into tokens. */

/** Indices are in the line and include quotes; `value` has quotes and escapes removed. */
export type Token = {
  readonly start: number;
  readonly end: number;
  /** The text before the equals sign, or null. */
  readonly key: string | null;
  readonly value: string;
  readonly isQuoted: boolean;
};

type TokenFault = {
  readonly code: 'unclosed-quote' | 'bad-quote' | 'glued';
  readonly start: number;
  readonly text: string;
};

/** The tokens before the first fault. */
export type Tokens = { readonly tokens: readonly Token[]; readonly fault: TokenFault | null };

const BLANKS = /[ \t]*/y;
// A key may be a knob's path (src/delta/knob-path.ts) with quoted text in brackets.
const KEY =
  /((?:[\p{L}\p{M}\p{N}_.\-()#]|\[(?:"(?:[^"\\]|\\.)*"|[^\]\s"'=\u2018-\u201f\u00ab\u00bb]*)\])+)=/uy;
const BARE = /[^ \t]*/y;
// Typographic double quotes. Single ones are also apostrophes, so they count only at the start.
const CURLY = /[\u201c-\u201f\u2033\u2036\u00ab\u00bb\u301d-\u301f\uff02]/;
const SINGLE_START = /^['\u2018-\u201b\u2039\u203a]/;
const STRANGE_BLANK = /[^\S \t]/;

/**
 * Tokens from index `from`: `key=value` or `value`, separated by blanks or tabs. A value in `"` ends at the next unescaped `"`; only `\"`
 * and `\\` are escapes. Other quotes are rejected, because their end is ambiguous.
 */
export function tokensOf(line: string, from: number): Tokens {
  const tokens: Token[] = [];
  let at = skip(BLANKS, line, from);
  while (at < line.length) {
    KEY.lastIndex = at;
    const key = KEY.exec(line)?.[1] ?? null;
    const valueAt = key === null ? at : at + key.length + 1;
    const token = line[valueAt] === '"' ? quoted(line, at, key, valueAt) : bare(line, at, key, valueAt);
    if ('code' in token) return { tokens, fault: token };
    tokens.push(token);
    at = skip(BLANKS, line, token.end);
    if (at === token.end && at < line.length)
      return { tokens, fault: { code: 'glued', start: at, text: line.slice(at, skip(BARE, line, at)) } };
  }
  return { tokens, fault: null };
}

function quoted(line: string, start: number, key: string | null, quoteAt: number): Token | TokenFault {
  let value = '';
  for (let at = quoteAt + 1; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '"') return { start, end: at + 1, key, value, isQuoted: true };
    const next = line[at + 1];
    if (sign === '\\' && (next === '"' || next === '\\')) {
      value += next;
      at += 1;
    } else value += sign;
  }
  const curly = line.slice(quoteAt).search(CURLY);
  return curly < 0
    ? { code: 'unclosed-quote', start: quoteAt, text: line.slice(quoteAt) }
    : { code: 'bad-quote', start: quoteAt + curly, text: line[quoteAt + curly] ?? '' };
}

function bare(line: string, start: number, key: string | null, valueAt: number): Token | TokenFault {
  const end = skip(BARE, line, valueAt);
  const value = line.slice(valueAt, end);
  const blank = value.search(STRANGE_BLANK);
  if (blank >= 0) return { code: 'glued', start: valueAt + blank, text: value.slice(blank) };
  const quote = SINGLE_START.test(value) ? 0 : value.search(new RegExp(`"|${CURLY.source}`));
  if (quote >= 0) return { code: 'bad-quote', start: valueAt + quote, text: value[quote] ?? '' };
  return { start, end, key, value, isQuoted: false };
}

function skip(pattern: RegExp, line: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(line) ? pattern.lastIndex : from;
}
