/** The characters that a Python string literal stands for (language reference, sections 2.4 and 2.5). */

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const ESCAPE =
  /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\}|([\s\S]))/g;

/** What the letters before the quote say. */
export type StringPrefix = {
  readonly raw: boolean;
  readonly bytes: boolean;
  /** `f` or `t` where the string has parts, else null. */
  readonly parts: 'f' | 't' | null;
};

/** Reads a prefix such as `Rb`; the letters are assumed to be a legal combination. */
export function stringPrefix(letters: string): StringPrefix {
  const lower = letters.toLowerCase();
  return {
    raw: lower.includes('r'),
    bytes: lower.includes('b'),
    parts: lower.includes('f') ? 'f' : lower.includes('t') ? 't' : null,
  };
}

/**
 * The characters between the quotes. A named character `\N{…}` keeps its name in upper case behind a NUL, which no
 * source can hold: the table of names is not ours to carry, and equal names are equal characters.
 */
export function stringCharacters(source: string, prefix: StringPrefix): string {
  const text = source.replace(/\r\n?/g, '\n');
  if (prefix.raw) return text;
  return text.replace(ESCAPE, (whole, octal, hex, short, long, name, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (prefix.bytes && other === undefined) return whole;
    if (short !== undefined) return String.fromCharCode(Number.parseInt(short, 16));
    if (long !== undefined) return codePoint(Number.parseInt(long, 16));
    if (name !== undefined) return `\0N{${String(name).toUpperCase()}}`;
    return SIMPLE[other] ?? whole;
  });
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd';
}
