/** docs/kinds.md: its blocks are config that is valid, its sentences name the tests that play them, and it leaves out no kind. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemsOfTold } from '../../scripts/policy/told-page.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { KINDS } from '../../src/kinds/registry.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PAGE = read('docs/kinds.md');
const EXAMPLE = read('fixtures/lab/.github/ferrybot.yml');
const BLOCK = /^```yaml (clusters|lanes)\n(.*?)^```$/gms;
const sections = PAGE.split(/^## /m).slice(1);

/** The example config with the blocks of one section, each at the end of what it goes below. */
function withBlocks(section: string): string {
  return [...section.matchAll(BLOCK)].reduce(
    (config, [, key, block = '']) => config.replace(new RegExp(`^${key}:\\n`, 'm'), (line) => line + block),
    EXAMPLE,
  );
}

describe('the page of kinds', () => {
  it.each(sections.map((section) => [section.split('\n')[0] ?? '', section]))(
    '%s: a lab has it by these lines',
    (_, section) => {
      const outcome = readLabConfig(withBlocks(section));
      expect(outcome).toMatchObject({ kind: 'valid', warnings: [] });
      const lanes = outcome.kind === 'valid' ? Object.keys(outcome.config.lanes) : [];
      expect(lanes.length).toBeGreaterThan(1);
    },
  );

  it('leaves out none but the ferry, which has its own', () => {
    const told = [...PAGE.matchAll(/^ {4}kind: (\w+)$/gm)].map(([, kind]) => kind);
    expect(told.toSorted()).toEqual(
      KINDS.map(({ name }) => name)
        .filter((name) => name !== 'ferry')
        .toSorted(),
    );
  });

  it('has for each sentence of what happens a test that plays it', () => {
    const told = sections.flatMap((section) => section.split('\n').filter((line) => line.includes('<!--')));
    expect(told.length).toBeGreaterThan(20);
    expect(problemsOfTold(told)).toEqual([]);
  });

  it('says nothing beside that but what to set up and how to try it', () => {
    const others = sections.flatMap((section) =>
      section
        .replaceAll(BLOCK, '')
        .split('\n')
        .slice(1)
        .filter((line) => line !== '' && !line.includes('<!--')),
    );
    expect(others.filter((line) => !/^(?:For |Try it|and below)/.test(line))).toEqual([]);
  });
});
