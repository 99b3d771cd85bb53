/** docs/threat-model.md names tests by their full titles, and doctor checks: each of them exists, and no check is left out. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCTOR_CHECKS } from '../../src/app/cli/doctor/checks.ts';
import { testTitles } from '../support/test-titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8');
const cited = [...page.matchAll(/`(test\/[\w/.-]+\.test\.ts)`: ([^|\n]+?) \|/g)].map(
  ([, file = '', title = '']) => [file, title] as const,
);

describe('the threat model', () => {
  it('names a test for every attack', () => {
    const [, attacks = ''] = /## What they could try\n([\s\S]*?)\n## /.exec(page) ?? [];
    const rows = attacks.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Attack'));
    expect(rows.length).toBeGreaterThan(60);
    expect(cited).toHaveLength(rows.length);
  });

  it.each(cited)('%s has a test called: %s', (file, title) => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(testTitles(join(ROOT, file))).toContain(title);
  });

  it('names every check of the doctor once, and no other', () => {
    const [, settings = ''] = /## What is left to the lab\n([\s\S]*?)\n## /.exec(page) ?? [];
    const named = [...settings.matchAll(/\| `([a-z-]+)` \|/g)].map((match) => match[1]);
    expect(named).toEqual([...DOCTOR_CHECKS]);
  });
});
