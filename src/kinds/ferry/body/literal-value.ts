/** What a literal stands for, so that a table may spell a number or a string otherwise than the file does. */

import { negated, numberValue } from '../../../delta/number-value.ts';
import { stringCharacters, stringPrefix } from '../../../delta/string-value.ts';

const DIGITS = String.raw`\d[\d_]*`;
const NUMBER = new RegExp(
  String.raw`^(-?)\s*(0x[\da-f_]+|0o[0-7_]+|0b[01_]+|(?:${DIGITS}(?:\.(?:${DIGITS})?)?|\.${DIGITS})(?:e[+-]?${DIGITS})?)$`,
  'i',
);
const STRING = /^(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')$/;

/** Equal texts for equal values of one type; null for what is neither a number nor one plain string. */
export function literalValue(source: string): string | null {
  const text = source.trim();
  const number = NUMBER.exec(text);
  if (number !== null) {
    const value = numberValue(number[2] ?? '');
    return number[1] === '-' ? negated(value) : value;
  }
  const string = STRING.exec(text);
  return string === null ? null : `str:${stringCharacters(string[1] ?? string[2] ?? '', stringPrefix(''))}`;
}
