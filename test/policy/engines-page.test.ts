/**
 * docs/engines.md matches the tests of the engines: the page is current, and each test that it names exists.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { CLAIMS } from '../../scripts/engines/claims.ts';
import { enginesPage } from '../../scripts/engines/engines-page.ts';
import { PLAYED } from '../../scripts/engines/played.ts';
import { clusterSchema } from '../../src/engines/registry.ts';
import { testTitles } from '../support/test-titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENGINES = clusterSchema.options.map(({ shape }) => shape.engine.value);

describe('the page of the engines', () => {
  it('is current and lists every engine', () => {
    const contract = testTitles(join(ROOT, 'test/support/engine-contract.ts'));
    expect(contract.length).toBeGreaterThan(9);
    expect(readFileSync(join(ROOT, 'docs/engines.md'), 'utf8')).toBe(enginesPage(contract));
    expect(Object.keys(ABILITIES).toSorted()).toEqual(ENGINES.toSorted());
  });

  it.each(ENGINES)('names for %s the files that run the contract', (name) => {
    const files = PLAYED[name] ?? [];
    expect(files.length).toBeGreaterThan(0);
    for (const { file } of files) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect(text).toContain(`ABILITIES.${name}`);
      expect(text).toContain('engineContract(');
    }
  });

  it.each(ENGINES.flatMap((name) => CLAIMS[name] ?? []))('has a test for: $says', ({ file, title }) => {
    expect(testTitles(join(ROOT, file))).toContain(title);
  });
});

describe('the clusters of docs/adopt.md', () => {
  const page = readFileSync(join(ROOT, 'docs/adopt.md'), 'utf8');
  const shown = [...page.matchAll(/`(\{ engine: [^`]+\})`/g)].map(([, text = '']) => text);

  it('cover every engine except the one that needs no settings', () => {
    expect(shown.map((text) => /engine: (\w+)/.exec(text)?.[1]).toSorted()).toEqual(
      ENGINES.filter((name) => name !== 'local').toSorted(),
    );
  });

  it.each(shown)('are accepted by the config schema: %s', (text) => {
    const cluster = parse(text.replace('sha256:…', `sha256:${'0'.repeat(64)}`));
    expect(clusterSchema.safeParse(cluster).error?.issues ?? []).toEqual([]);
  });
});
