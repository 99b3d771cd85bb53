/** docs/kinds.md: its blocks are valid config, and it has a section for every kind except the ferry. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { KINDS } from '../../src/kinds/registry.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PAGE = read('docs/kinds.md');
const EXAMPLE = read('fixtures/lab/.github/ferrybot.yml');
const BLOCK = /^```yaml (clusters|lanes)\n(.*?)^```$/gms;
const sections = PAGE.split(/^## /m).slice(1);

/** The example config with the blocks of one section inserted below their keys. */
function withBlocks(section: string): string {
  return [...section.matchAll(BLOCK)].reduce(
    (config, [, key, block = '']) => config.replace(new RegExp(`^${key}:\\n`, 'm'), (line) => line + block),
    EXAMPLE,
  );
}

describe('the page of kinds', () => {
  it.each(sections.map((section) => [section.split('\n')[0] ?? '', section]))(
    "%s: its blocks are valid in a lab's config",
    (_, section) => {
      const outcome = readLabConfig(withBlocks(section));
      expect(outcome).toMatchObject({ kind: 'valid', warnings: [] });
      const lanes = outcome.kind === 'valid' ? Object.keys(outcome.config.lanes) : [];
      expect(lanes.length).toBeGreaterThan(1);
    },
  );

  it('has a section for every kind except the ferry, which has its own page', () => {
    const told = [...PAGE.matchAll(/^ {4}kind: (\w+)$/gm)].map(([, kind]) => kind);
    expect(told.toSorted()).toEqual(
      KINDS.map(({ name }) => name)
        .filter((name) => name !== 'ferry')
        .toSorted(),
    );
  });
});
