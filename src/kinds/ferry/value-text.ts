/** Whether two source texts say the same value, as far as that can be told without parsing. */

import { negated, numberValue } from '../../delta/number-value.ts';

const NUMBER =
  /^([+-]?)((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?j?|0[xXoObB][0-9a-fA-F_]+)$/;
const PLAIN_STRING = /^(['"])([^'"\\\n]*)\1$/;

/** `3e-3` and `0.003` are the same, `1` and `1.0` are not, `'a'` and `"a"` are; other texts by their characters. */
export function isSameValueText(left: string, right: string): boolean {
  return valueForm(left) === valueForm(right);
}

function valueForm(text: string): string {
  const trimmed = text.trim();
  const [, sign = '', digits] = NUMBER.exec(trimmed) ?? [];
  if (digits !== undefined) return sign === '-' ? negated(numberValue(digits)) : numberValue(digits);
  const [, , characters] = PLAIN_STRING.exec(trimmed) ?? [];
  return characters === undefined ? `text:${trimmed.replace(/\s+/g, ' ')}` : `str:${characters}`;
}

/** The number that a source text says, or null where it says none that can be held against another. */
export function numberOf(text: string): number | null {
  const [, sign = '', digits] = NUMBER.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const value = Number(numberValue(digits).replace(/^(?:int|float):/, ''));
  if (!Number.isFinite(value)) return null;
  return sign === '-' ? -value : value;
}
