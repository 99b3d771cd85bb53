/**
 * References in our files have a target in this repository: our pages, rows of the policy coverage, and no
 * external document.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRules } from '../../scripts/policy/rules.ts';
import { ROOT } from './cruise.ts';

const FOLDERS = ['src', 'docs', 'test', 'scripts', 'packages', 'demo', 'bench', 'schema', '.github'];
const TEXT = /\.(?:ts|md|py|yml|json|cjs|snap)$/;
const files = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
  ...readdirSync(ROOT),
].filter((file) => TEXT.test(file) && !file.includes('node_modules/') && file !== relative(ROOT, import.meta.filename));

/** Names and sections of documents that were available to the authors, but not to a reader. */
const ELSEWHERE = [
  /\bissue \*[a-z]/,
  /\bissue of the [a-z]+, point\b/,
  /\b(?:interfaces|vocabulary|marin|levanter|security|reliability)\.md\b/,
  /\b(?:architecture|interfaces|vocabulary)(?:\.md)?, section\b/,
  /\bpolicy\/[a-z-]+\.md\b/,
  /\breference\/[a-z-]+\.md\b/,
  /\(reference:? [a-z]+[,)]/,
  /\breference [a-z]+, (?:section|point)\b/,
  /\bshared\/(?:design|reference)\b/,
  // Must not be confused with docs/decisions: *architecture, D4*.
  /\bdecision [DS]\d/,
];

/** `file:line: match` of every line that matches the pattern, by its first group or whole. */
function found(pattern: RegExp): readonly { readonly at: string; readonly what: string }[] {
  return files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(new RegExp(pattern, 'g'))].map((match) => ({
          at: `${file}:${index + 1}`,
          what: match[1] ?? match[0],
        })),
      ),
  );
}

describe('a reference in our files', () => {
  it.each(ELSEWHERE)('names no external document: %s', (pattern) => {
    expect(found(pattern)).toEqual([]);
  });

  it('names an existing page', () => {
    // Tests invent files of labs.
    const named = found(/\b(docs\/(?:decisions\/)?[a-z0-9-]+\.(?:md|py))\b/).filter(
      ({ at }) => !/^(?:test|packages\/playground\/test)\//.test(at),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ what }) => !existsSync(join(ROOT, what)))).toEqual([]);
  });

  it('names an existing decision of docs/architecture.md', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const named = found(/\barchitecture(?:\.md)?, ([DS]\d)\b/);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ what }) => !page.includes(`**${what}. `))).toEqual([]);
  });

  it('names an existing row of docs/policy-coverage.md', async () => {
    const ids = new Set((await readRules(join(ROOT, 'fixtures/policy/rules.yml'))).map(({ id }) => id));
    const named = found(/\b((?:DF|ML|HR|VA|AG)-\d\d)\b/).filter(({ at }) => at.startsWith('src/'));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ what }) => !ids.has(what as never))).toEqual([]);
  });
});
