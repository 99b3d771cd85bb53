/**
 * The published documentation of the config matches the code: the JSON Schema for editors, the page for
 * people, the line in the example.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationPage } from '../../scripts/config/configuration-page.ts';
import { configJsonSchema, type JsonSchema, SCHEMA_ID } from '../../scripts/config/json-schema.ts';
import { schemaFile } from '../../scripts/config/schema-file.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { KINDS } from '../../src/kinds/registry.ts';
import { addToLane, replaceInConfig, SMALL } from './small-config.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const schema = configJsonSchema(KINDS);
const lab = read('fixtures/lab/.github/ferrybot.yml');

describe('what is published', () => {
  it('schema/ferrybot.schema.json is current: node scripts/config-docs.ts', () => {
    expect(read('schema/ferrybot.schema.json')).toBe(schemaFile(schema));
  });

  it('docs/configuration.md is current: node scripts/config-docs.ts', () => {
    expect(read('docs/configuration.md')).toBe(configurationPage(schema));
  });

  it('is named in the first line of the example', () => {
    expect(lab.split('\n')[0]).toBe(`# yaml-language-server: $schema=${SCHEMA_ID}`);
  });
});

describe('the schema', () => {
  // Formats add nothing to the patterns next to them, and ajv needs a plugin for formats.
  const validate = new Ajv2020({ strict: true, validateFormats: false }).compile(schema);

  it.each([
    ['the example', lab],
    ['the small config', SMALL],
  ])('accepts %s', (_, text) => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ['an unknown key', addToLane('zebra: 1')],
    ['a missing key', replaceInConfig('finalStep: 100', 'memoryDays: 3')],
    ['a number for a decimal', replaceInConfig('acceleratorHoursPerRun: "2.5"', 'acceleratorHoursPerRun: 2.5')],
    ['a value outside an enum', addToLane('afterSeal: burn')],
    ['a quorum of zero', replaceInConfig('version: 1', 'version: 1\napprovals: { quorum: 0 }')],
    ['an absolute path', replaceInConfig('experiment: experiments', 'experiment: /experiments')],
  ])('refuses %s, as the code does', (_, text) => {
    expect(validate(parse(text))).toBe(false);
    expect(readLabConfig(text).kind).toBe('invalid');
  });

  it('describes every key', () => {
    expect(undescribed(schema, '')).toEqual([]);
  });
});

/** Paths of keys without a description; items of lists of plain values need none. */
function undescribed(at: JsonSchema, path: string): readonly string[] {
  const below = Object.entries(at.properties ?? {}).flatMap(([key, value]) => [
    ...(value.description === undefined ? [`${path}.${key}`] : []),
    ...undescribed(value, `${path}.${key}`),
  ]);
  const others = [at.items, at.additionalProperties, ...(at.anyOf ?? []), ...(at.oneOf ?? [])].flatMap((one) =>
    typeof one === 'object' ? undescribed(one, path) : [],
  );
  return [...below, ...others];
}
