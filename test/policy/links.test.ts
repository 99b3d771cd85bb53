/** Links in our pages to this repository have existing targets. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const pages = [
  'packages/playground/README.md',
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

describe('our pages', () => {
  it('link only to existing files', () => {
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(pages.length).toBeGreaterThan(5);
    expect(dead).toEqual([]);
  });

  it('give each decision a unique number', () => {
    const numbers = readdirSync(join(ROOT, 'docs/decisions')).map((file) => file.slice(0, 4));
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });
});
