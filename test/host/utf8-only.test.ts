/** Bytes that may not be UTF-8 become text of the same length, and valid text is unchanged. */

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keepValidUtf8 } from '../../src/host/files.ts';

it('keeps every character at its offset, and replaces invalid bytes', () => {
  const bytes = fc.uint8Array({ maxLength: 60 });
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, bytes, text, (before, noise, after) => {
      const parts = [Buffer.from(before.toWellFormed()), Buffer.from(noise), Buffer.from(after.toWellFormed())];
      const all = Buffer.concat(parts);
      const clean = Buffer.from(keepValidUtf8(all));
      expect(isUtf8(clean)).toBe(true);
      expect(clean.length).toBe(all.length);
      for (const [at, byte] of clean.entries()) if (byte !== all[at]) expect(byte).toBe(0x3f);
      expect(clean.toString('utf8').startsWith(before.toWellFormed())).toBe(true);
      if (isUtf8(all)) expect(clean.equals(all)).toBe(true);
    }),
  );
  expect(Buffer.from(keepValidUtf8(Buffer.from('caf\xe9 \xf0\x9f\x9a\xa2 \xff', 'latin1'))).toString()).toBe(
    'caf? 🚢 ?',
  );
});
