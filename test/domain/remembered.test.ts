/** What is remembered is what would be read again, and no more of it than the limit. */

import { describe, expect, it } from 'vitest';
import { READINGS_REMEMBERED, remembered } from '../../src/domain/remembered.ts';

function counting(): { readonly read: (text: string) => string; readonly reads: () => number } {
  let reads = 0;
  const read = remembered(
    (text: string) => {
      reads += 1;
      return text.toUpperCase();
    },
    (text) => text,
  );
  return { read, reads: () => reads };
}

describe('a remembered reading', () => {
  it('reads the same text once, and an edited one anew', () => {
    const { read, reads } = counting();
    expect([read('a'), read('a'), read('b'), read('a')]).toEqual(['A', 'A', 'B', 'A']);
    expect(reads()).toBe(2);
  });

  it('forgets what was asked for longest ago, never more', () => {
    const { read, reads } = counting();
    for (let text = 0; text < READINGS_REMEMBERED; text += 1) read(`${text}`);
    read('0');
    expect(reads()).toBe(READINGS_REMEMBERED);
    read('one too many');
    read('0');
    expect(reads()).toBe(READINGS_REMEMBERED + 1);
    read('1');
    expect(reads()).toBe(READINGS_REMEMBERED + 2);
  });
});
