/** limits: one table that its parts share out among them, each bound once, with a reason, and no bound that bounds nothing. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';

const PARTS = join(import.meta.dirname, '../../src/domain/limits');
const entries = readdirSync(PARTS).flatMap((file) => {
  const lines = readFileSync(join(PARTS, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const name = /^ {2}(\w+):/.exec(line)?.[1];
    return name === undefined ? [] : [{ file, name, hasReason: lines[index - 1]?.endsWith('*/') === true }];
  });
});

describe('limits', () => {
  it('are the entries of all parts, none of which stands in two', () => {
    expect(entries.map(({ name }) => name).toSorted()).toEqual(Object.keys(limits).toSorted());
  });

  it('each have a reason', () => {
    expect(entries.filter(({ hasReason }) => !hasReason)).toEqual([]);
  });

  it('are finite and above zero, where they are not a list of pauses', () => {
    const bad = Object.entries(limits).filter(
      ([, value]) => typeof value === 'number' && !(Number.isFinite(value) && value > 0),
    );
    expect(bad).toEqual([]);
  });
});
