/** What ferrybot tells people to do is not refused when they do it: an approval or a consent needs the line with its digest. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const SOURCES = [
  ...readdirSync(new URL('src/render/', root)).map((name) => `src/render/${name}`),
  ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`),
  'README.md',
].filter((path) => /\.(ts|md)$/.test(path));

/** A consent or approval as code with nothing behind it, and the words before it. */
const BARE = /[^\n]{0,60}`\/approve[a-z-]*\\?`[^\n]{0,40}/g;
/** These speak of the line that stands somewhere, or say what the command is. */
const NAMES_THE_LINE = /`\/approve[a-z-]*\\?` (?:line|\(copy|to exactly that)|which `\/approve` approves/;

describe('a sentence that speaks of an approval', () => {
  it.each(SOURCES)('names the line to copy, which has the digest: %s', (path) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    const bare = [...text.matchAll(BARE)].map(([found]) => found);
    expect(bare.filter((found) => !NAMES_THE_LINE.test(found))).toEqual([]);
  });
});
