/** Texts that are written to cost: no stranger's comment or job's log is redacted in more than one pass. */

import { describe, expect, it } from 'vitest';
import { redact } from '../../src/host/redactor.ts';
import { cpuMs } from '../support/cpu-ms.ts';

/** How many times longer eight times the text takes, the best of some tries: about 8 where each sign is read so often. */
function growth(read: (text: string) => unknown, unit: string): number {
  const short = unit.repeat(Math.ceil(8_192 / unit.length));
  const long = short.repeat(8);
  // Of the processor: what others do on the machine is not in it.
  const quickest = (text: string): number =>
    Math.min(...Array.from({ length: 15 }, () => cpuMs(() => read(text))));
  quickest(short);
  return quickest(long) / Math.max(quickest(short), 0.05);
}

describe('a text that is written to cost', () => {
  it.each([
    'eyJ-',
    'eyJaaaaaaaaaaaaa.',
    'TOKEN',
    'TOKEN_',
    'TOKEN= ',
    'authorization: bearer ',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'gh',
    'a',
  ])('%j grows in cost as it does in length', (unit) => {
    expect(growth((text) => redact(text, []), unit)).toBeLessThan(24);
  });
});
