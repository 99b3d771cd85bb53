/** Experiment files in YAML, TOML and JSON, compared with what the libraries themselves read. */

import fc from 'fast-check';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { diffConfigs, readKnobs } from '../../src/delta/config-delta.ts';
import { readDataFile } from '../../src/delta/read-data-file.ts';
import type { Delta, ExperimentFile } from '../../src/domain/launch/change-facts.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';
import { coin, type Data, type Format, inline, isMap, tree, written } from './random-data.ts';

const FORMATS: readonly Format[] = ['yaml', 'toml', 'json'];

/** What programs read: YAML's two versions, with aliases and merge keys resolved. */
const READ: Readonly<Record<Format, (text: string) => unknown[]>> = {
  yaml: (text) => [
    parse(text, { version: '1.2', merge: true, uniqueKeys: false, logLevel: 'silent' }),
    parse(text, { version: '1.1', merge: true, uniqueKeys: false, logLevel: 'silent' }),
  ],
  toml: (text) => [getStaticTOMLValue(parseTOML(text, { tomlVersion: '1.0.0' }))],
  json: (text) => [JSON.parse(text)],
};

function read(text: string, format: Format): unknown[] | null {
  try {
    return READ[format](text);
  } catch {
    return null;
  }
}

function fileOf(text: string, format: Format): ExperimentFile {
  const file = readDataFile(text, format);
  if (file.kind === 'unparsable') throw new Error(`line ${file.line}: ${file.message}\n${text}`);
  return file;
}

const deltaOf = (base: string, head: string, format: Format): Delta =>
  diffConfigs(readDataFile(base, format), readDataFile(head, format));

/** The keys and indices of a path. */
function keysOf(path: string): readonly (string | number)[] {
  const parts = path.matchAll(/\.?([A-Za-z_][\w-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|\[([^\]]*)\]/gu);
  return [...parts].map(([, name, quoted, index, other]) => {
    if (quoted !== undefined) return String(JSON.parse(quoted));
    return index === undefined ? (name ?? other ?? '') : Number(index);
  });
}

/** Changes the value at a path of plain data; undefined removes it. */
function put(data: unknown, path: string, value: unknown): void {
  const keys = keysOf(path);
  const holder = keys.slice(0, -1).reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), data);
  if (value === undefined) Reflect.deleteProperty(Object(holder), keys.at(-1) ?? '');
  else Reflect.set(Object(holder), keys.at(-1) ?? '', value);
}

function leaves(data: Data, path: string): readonly string[] {
  if (!isMap(data))
    return Array.isArray(data) && holdsMap(data)
      ? data.flatMap((one, at) =>
          typeof one === 'object' && (isMap(one) || holdsMap(one)) ? leaves(one, `${path}[${at}]`) : [],
        )
      : [path];
  if (Object.keys(data).length === 0) return [path];
  return Object.entries(data).flatMap(([name, value]) => {
    const isName = /^[A-Za-z_][\w-]*$/.test(name);
    const segment = isName ? `${path === '' ? '' : '.'}${name}` : `[${JSON.stringify(name)}]`;
    return leaves(value, path + segment);
  });
}

const holdsMap = (data: Data[]): boolean => data.some((one) => isMap(one) || (Array.isArray(one) && holdsMap(one)));

const seed = fc.integer();

describe.each(FORMATS)('a random file in %s', (format) => {
  it('has exactly the knobs of its data, whatever its layout', () => {
    fc.assert(
      fc.property(tree, seed, seed, (data, first, second) => {
        const text = written(data, format, coin(first));
        expect(READ[format](text)).toContainEqual(data);
        const file = fileOf(text, format);
        const paths = readKnobs(file).map(({ path }) => path);
        expect(paths.toSorted()).toEqual(leaves(data, '').toSorted());
        expect(new Set(paths).size).toBe(paths.length);
        expect(file.code).toEqual([]);
        expect(deltaOf(text, written(data, format, coin(second)), format)).toEqual({ kind: 'none' });
      }),
      { numRuns: 300, seed: 20261129 },
    );
  });

  it('is changed by an edit in exactly the asked setting, and in no other byte', async () => {
    let edited = 0;
    await fc.assert(
      fc.asyncProperty(
        tree,
        seed,
        fc.nat(),
        fc.constantFrom<Data>(7, 0.25, 'other', [1, 'b'], true),
        async (data, layout, pick, value) => {
          const text = written(data, format, coin(layout));
          const file = fileOf(text, format);
          const knobs = readKnobs(file);
          const knob = knobs[pick % knobs.length];
          if (knob === undefined) return;
          const after = inline(value, format, () => true);
          const result = await applyEdits(file, [{ path: knob.path, after }], async (one) => readDataFile(one, format));
          const wanted = structuredClone(data);
          put(wanted, knob.path, value);
          if (!result.ok) {
            // The old value is the asked one.
            expect(result.error, `${text}\n${knob.path}`).toBe('unchanged');
            expect(wanted).toEqual(data);
            return;
          }
          edited += 1;
          const { text: now, changes } = result.value;
          expect(READ[format](now)).toContainEqual(wanted);
          expect(changes).toMatchObject([{ path: knob.path, before: knob.value, after }]);
          expect(now.startsWith(text.slice(0, knob.start))).toBe(true);
          expect(now.endsWith(text.slice(knob.end))).toBe(true);
        },
      ),
      { numRuns: 300, seed: 20261130 },
    );
    expect(edited).toBeGreaterThan(200);
  });

  it('never hides a change of what programs read, however its text was changed', () => {
    const counts: Record<string, number> = {};
    const mutation = fc.record({ at: fc.nat(), kind: fc.nat(5), token: fc.constantFrom(...TOKENS) });
    fc.assert(
      fc.property(
        tree,
        seed,
        fc.array(mutation, { maxLength: 3 }),
        fc.array(mutation, { minLength: 1, maxLength: 2 }),
        (data, layout, early, late) => {
          const base = early.reduce(mutated, SPICE[format] + written(data, format, coin(layout)));
          const head = late.reduce(mutated, base);
          const delta = deltaOf(base, head, format);
          counts[delta.kind] = (counts[delta.kind] ?? 0) + 1;
          if (delta.kind === 'structural' || delta.kind === 'unparsable') return;
          const [before, after] = [read(base, format), read(head, format)];
          // No program reads it: an alias without an anchor, a merge of what is no map.
          if (before === null || after === null) return;
          const changes = delta.kind === 'none' ? [] : delta.changes;
          for (const version of [...before.keys()]) {
            for (const { path } of changes) {
              put(before[version], path, undefined);
              put(after[version], path, undefined);
            }
            expect(after[version], `${base}\n=====\n${head}\n${JSON.stringify(delta)}`).toEqual(before[version]);
          }
        },
      ),
      { numRuns: 1_000, seed: 20261201 },
    );
    expect(counts['none'] ?? 0).toBeGreaterThan(10);
    expect(counts['knobs'] ?? 0).toBeGreaterThan(50);
  });
});

const SPICE: Readonly<Record<Format, string>> = {
  yaml: 'base: &b {p: 1, q: two}\nwith:\n  <<: *b\n  q: 3\nagain: [*b, {r: 1}]\nkept: 5\n',
  toml: 'kept = 5\nb.c = 1\n',
  json: '',
};

const TOKENS = [
  '&b ',
  '*b',
  '!!str ',
  '<<: *b\n',
  ' # c',
  '---\n',
  '"',
  '{',
  ']',
  ' ',
  '\n',
  '1',
  ',',
  ': ',
  '- ',
  ' |\n  ',
  '[[t]]\n',
  '[u]\n',
  'b.d = 2\n',
  '= ',
  "'",
  '0',
  'on: 1\n',
  '.5',
  'e3',
  '"k": 1,',
  '_',
  '~',
];

function mutated(text: string, { at, kind, token }: { at: number; kind: number; token: string }): string {
  const lines = text.split('\n');
  const line = at % lines.length;
  const place = at % (text.length + 1);
  switch (kind) {
    case 0:
      return lines.toSpliced(line, 1).join('\n');
    case 1:
      return lines.toSpliced(line, 0, lines[line] ?? '').join('\n');
    case 2:
      return lines.toSpliced(line, 2, ...lines.slice(line, line + 2).toReversed()).join('\n');
    case 3:
      return text.replace(/\d/, String(at % 10));
    case 4:
      return text.slice(0, place) + text.slice(place + 1);
    default:
      return text.slice(0, place) + token + text.slice(place);
  }
}
