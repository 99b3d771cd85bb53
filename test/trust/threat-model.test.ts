/**
 * docs/threat-model.md: each attack has a test marked with its number, and every check of the doctor is
 * named.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCTOR_CHECKS } from '../../src/app/cli/doctor/checks.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8');
const [, attacks = ''] = /## What they could try\n([\s\S]*?)\n## /.exec(page) ?? [];
const rows = attacks.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Attack'));
const named = rows.flatMap((row) => [...row.matchAll(/\bT\d+\b/g)].map(([number]) => number));

/** The number in each comment `// threat T12` that is directly followed by a test. */
const marked = globSync('{test,packages/playground/test}/**/*.test.ts', { cwd: ROOT }).flatMap((file) =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(/^ *\/\/ threat (T\d+)(?=\n(?: *\/\/.*\n)* *(?:it|test)\b)/gm),
  ].map(([, number = '']) => number),
);

describe('the threat model', () => {
  it('names at least one test for every attack, and each test once', () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((row) => !/\bT\d+\b/.test(row))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('names exactly the marked tests', () => {
    expect(marked.toSorted()).toEqual(named.toSorted());
  });

  it('names every check of the doctor once, and no others', () => {
    const [, settings = ''] = /## What is left to the lab\n([\s\S]*?)\n## /.exec(page) ?? [];
    const checks = [...settings.matchAll(/\| `([a-z-]+)` \|/g)].map((match) => match[1]);
    expect(checks).toEqual([...DOCTOR_CHECKS]);
  });
});
