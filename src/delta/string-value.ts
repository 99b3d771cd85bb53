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
 * The characters between the quotes. A named character `\N{…}` keeps its name in upper case (the table of names is not
 * ours to carry, and equal names are equal characters), and half of a surrogate pair stays a half, as in Python. Both
 * stand behind a lone surrogate, which no file in UTF-8 can hold.
 */
export function stringCharacters(source: string, prefix: StringPrefix): string {
  const text = source.replace(/\r\n?/g, '\n');
  if (prefix.raw) return text;
  return text.replace(ESCAPE, (whole, octal, hex, short, long, name, other) => {
    if (octal !== undefined) return codeUnit(octal, 8);
    if (hex !== undefined) return codeUnit(hex, 16);
    if (prefix.bytes && other === undefined) return whole;
    if (short !== undefined) return /^d[89a-f]/i.test(short) ? marked(short) : codeUnit(short, 16);
    if (long !== undefined) return codePoint(Number.parseInt(long, 16));
    if (name !== undefined) return marked(`{${name}}`);
    return SIMPLE[other] ?? whole;
  });
}

function marked(text: string): string {
  return `\udc00${text.toUpperCase()}`;
}

function codeUnit(digits: string, radix: number): string {
  return String.fromCharCode(Number.parseInt(digits, radix));
}

function codePoint(value: number): string {
  if (value >= 0xd800 && value <= 0xdfff) return marked(value.toString(16));
  return value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd';
}
