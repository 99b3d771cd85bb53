/**
 * People can follow ferrybot's advice: each mention of an approval or a consent names the line with the
 * digest.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const SOURCES = [
  ...readdirSync(new URL('src/render/', root)).map((name) => `src/render/${name}`),
  ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`),
  'README.md',
].filter((path) => /\.(ts|md)$/.test(path));

/** An approval command in code without an argument, and the words before it. */
const BARE = /[^\n]{0,60}`\/approve[a-z-]*\\?`[^\n]{0,40}/g;
/** These texts name the line to copy, or explain the command. */
const NAMES_THE_LINE = /`\/approve[a-z-]*\\?` (?:line|\(copy|to exactly that)/;

describe('a sentence about an approval', () => {
  it.each(SOURCES)('names the line to copy, which has the digest: %s', (path) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    const bare = [...text.matchAll(BARE)].map(([found]) => found);
    expect(bare.filter((found) => !NAMES_THE_LINE.test(found))).toEqual([]);
  });
});
