/** Cutting UTF-8 anywhere, and going on from there, loses and changes nothing. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeUtf8Length } from '../../src/host/utf8-boundary.ts';

describe('completeUtf8Length', () => {
  it('cuts only between characters, and keeps all but an unfinished one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), (text, at) => {
        const bytes = Buffer.from(text);
        const piece = bytes.subarray(0, at % (bytes.length + 1));
        const whole = completeUtf8Length(piece);
        expect(piece.length - whole).toBeLessThan(4);
        const first = piece.subarray(0, whole).toString('utf8');
        expect(first + bytes.subarray(whole).toString('utf8')).toBe(bytes.toString('utf8'));
      }),
    );
    expect(completeUtf8Length(Buffer.from('aé').subarray(0, 2))).toBe(1);
    expect(completeUtf8Length(Buffer.from('aé'))).toBe(3);
  });

  it('does not stand still on bytes that are no UTF-8', () => {
    expect(completeUtf8Length(Uint8Array.of(0x80, 0x80, 0x80, 0x80))).toBe(4);
  });
});
