/** Which characters a reader cannot distinguish from a plain blank or from nothing. */

import { expect, it } from 'vitest';
import { findInvisibleCharacter } from '../../src/domain/values.ts';

/**
 * PropList.txt of Unicode 16, White_Space, without the plain blank and characters that end or indent a line.
 */
const BLANKS = [
  ...[0x0b, 0x0c, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
];

it('reports every blank except the plain one, and characters that render as empty space', () => {
  // Unicode classifies the Braille blank and the Hangul fillers as symbols or letters.
  for (const sign of [...BLANKS, 0x2800, 0x3164, 0xffa0, 0x115f]) {
    const name = `U+${sign.toString(16).toUpperCase().padStart(4, '0')}`;
    expect(findInvisibleCharacter(`outputs/a${String.fromCodePoint(sign)}b`)).toBe(name);
  }
});

it('reports nothing in plain text of any script', () => {
  for (const text of ['python3 a.py --lr 3e-3', 'a\tb\r\nc', 'outputs/größe', '学习率', '⠓⠑'])
    expect(findInvisibleCharacter(text)).toBeNull();
});
