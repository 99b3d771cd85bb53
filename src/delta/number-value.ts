/** The value of a Python number literal, so that `1_000`, `1000` and `0x3e8` compare equal and `1` and `1.0` do not. */

/**
 * Canonical text of a number with its type: `int:1000`, `float:0.003`, `imag:2`. Integers are exact, floats are
 * IEEE doubles as in CPython (language reference, section 2.6). The argument is a literal without a sign.
 */
export function numberValue(source: string): string {
  const text = source.replaceAll('_', '').toLowerCase();
  if (/^0[xob]/.test(text)) return `int:${BigInt(text)}`;
  if (text.endsWith('j')) return `imag:${Number(text.slice(0, -1))}`;
  if (/[.e]/.test(text)) return `float:${Number(text)}`;
  return `int:${/^\d+$/.test(text) ? BigInt(text) : text}`;
}

/** The value with its sign turned: `-0.0` is not `0.0`, `-0` is `0`. */
export function negated(value: string): string {
  const [type = '', magnitude = ''] = value.split(':');
  if (type === 'int' && magnitude === '0') return value;
  return `${type}:${magnitude.startsWith('-') ? magnitude.slice(1) : `-${magnitude}`}`;
}
