/** Whether two source texts say the same value, as far as that can be told without parsing. */

const NUMBER =
  /^([+-]?)\s*((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?j?|0[xXoObB][0-9a-fA-F_]+)$/;
const PLAIN_STRING = /^(['"])((?:(?!\1)[^\\\n]|\\['"\\])*)\1$/;

/** `3e-3` and `0.003` are the same, `1` and `1.0` are not, `'a'` and `"a"` are; other texts by their characters. */
export function isSameValueText(left: string, right: string): boolean {
  return valueForm(left) === valueForm(right);
}

function valueForm(text: string): string {
  const trimmed = text.trim();
  const [, sign = '', digits] = NUMBER.exec(trimmed) ?? [];
  if (digits !== undefined) return sign === '-' ? negated(numberValue(digits)) : numberValue(digits);
  const [, , characters] = PLAIN_STRING.exec(trimmed) ?? [];
  return characters === undefined
    ? `text:${trimmed.replace(/\s+/g, ' ')}`
    : `str:${characters.replace(/\\(.)/g, '$1')}`;
}

/** The number that a source text says, or null where it says none that can be held against another. */
export function numberOf(text: string): number | null {
  const [, sign = '', digits] = NUMBER.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const value = Number(numberValue(digits).replace(/^(?:int|float):/, ''));
  if (!Number.isFinite(value)) return null;
  return sign === '-' ? -value : value;
}

/**
 * Canonical text of a number with its type: `int:1000`, `float:0.003`, `imag:2`. Integers are exact, floats are
 * IEEE doubles as in CPython (language reference, section 2.6). The argument is a literal without a sign.
 */
function numberValue(source: string): string {
  const text = source.replaceAll('_', '').toLowerCase();
  if (/^0[xob]/.test(text)) return `int:${BigInt(text)}`;
  if (text.endsWith('j')) return `imag:${Number(text.slice(0, -1))}`;
  if (/[.e]/.test(text)) return `float:${Number(text)}`;
  return `int:${/^\d+$/.test(text) ? BigInt(text) : text}`;
}

/** The value with its sign turned: `-0.0` is not `0.0`, `-0` is `0`. */
function negated(value: string): string {
  const [type = '', magnitude = ''] = value.split(':');
  if (type === 'int' && magnitude === '0') return value;
  return `${type}:${magnitude.startsWith('-') ? magnitude.slice(1) : `-${magnitude}`}`;
}
