/** People's text is searched for tokens once per process, for any number of reads. */

import { describe, expect, it } from 'vitest';
import { brandAs, isDigest } from '../../src/domain/values.ts';
import { maskTokensCached } from '../../src/github/thread-comments.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const digestOf = (text: string) => brandAs(`sha256:${sha256Hex(text)}`, isDigest);
const read = (text: string): string => maskTokensCached(text, digestOf(text));
const hostile = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index} ${'eyJ-'.repeat(16_000)}`);

describe('the text of a comment', () => {
  it('is stored without token-like text, also when it is read again', () => {
    const text = `I pasted ${TOKEN} by mistake`;
    expect([read(text), read(text)]).toEqual(['I pasted *** by mistake', 'I pasted *** by mistake']);
    expect([read('nothing'), read('nothing')]).toEqual(['nothing', 'nothing']);
  });

  it('is searched once: a flood that was read before costs little the next time', () => {
    const flood = hostile(300).map((text) => ({ text, digest: digestOf(text) }));
    const look = (): void => {
      for (const { text, digest } of flood) maskTokensCached(text, digest);
    };
    const first = measureCpuMs(look);
    expect(measureCpuMs(look)).toBeLessThan(first / 4);
  });
});
