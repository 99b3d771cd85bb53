/** Texts that are expensive by design: a stranger's comment or a job's log is redacted in linear time. */

import { describe, expect, it } from 'vitest';
import { redact } from '../../src/host/redactor.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';

/** How much longer an eightfold text takes, best of several: about 8 for linear time. */
function growth(read: (text: string) => unknown, unit: string): number {
  const short = unit.repeat(Math.ceil(8_192 / unit.length));
  const long = short.repeat(8);
  // Processor time, so that other load of the machine does not count.
  const quickest = (text: string): number =>
    Math.min(...Array.from({ length: 15 }, () => measureCpuMs(() => read(text))));
  quickest(short);
  return quickest(long) / Math.max(quickest(short), 0.05);
}

describe('a text that is expensive by design', () => {
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
  ])('%j takes time in proportion to its length', (unit) => {
    expect(growth((text) => redact(text, []), unit)).toBeLessThan(24);
  });
});
