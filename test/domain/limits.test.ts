/** limits: what several files keep is in one table, each with a reason, and no bound that bounds nothing. */

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';

const TABLE = 'src/domain/limits.ts';
const lines = readFileSync(TABLE, 'utf8').split('\n');
const entries = lines.flatMap((line, index) => {
  const name = /^ {2}(\w+):/.exec(line)?.[1];
  return name === undefined ? [] : [{ name, hasReason: lines[index - 1]?.endsWith('*/') === true }];
});
const sources = globSync('src/**/*.ts')
  .filter((file) => file !== TABLE)
  .map((file) => readFileSync(file, 'utf8'));

describe('limits', () => {
  it('each have a reason', () => {
    expect(entries.map(({ name }) => name)).toEqual(Object.keys(limits));
    expect(entries.filter(({ hasReason }) => !hasReason)).toEqual([]);
  });

  it('are each kept by somebody', () => {
    const isKept = (name: string): boolean =>
      sources.some((text) => new RegExp(`limits\\.${name}\\b`).test(text));
    expect(Object.keys(limits).filter((name) => !isKept(name))).toEqual([]);
  });

  it('are finite and above zero, where they are not a list of pauses', () => {
    const bad = Object.entries(limits).filter(
      ([, value]) => typeof value === 'number' && !(Number.isFinite(value) && value > 0),
    );
    expect(bad).toEqual([]);
  });
});
