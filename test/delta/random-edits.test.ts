import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configDelta } from '../../src/delta/config-delta.ts';
import { readKnobs } from '../../src/delta/read-knobs.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';
import {
  type Layout,
  type RandomFile,
  randomFile,
  VALUES,
  type Value,
  valueAt,
  written,
} from './random-files.ts';

const parser = await createPythonParser();
const PLAIN: Layout = { respell: false, reverse: false, lines: false };

const layout = fc.record({ respell: fc.boolean(), reverse: fc.boolean(), lines: fc.boolean() });
const edits = randomFile.chain((file) =>
  fc.record({
    file: fc.constant(file),
    changed: fc.subarray([...file.paths], { maxLength: Math.min(3, file.paths.length) }),
    choice: fc.integer({ min: 0, max: VALUES.length - 1 }),
    layout,
  }),
);

type Edited = { readonly file: RandomFile; readonly changed: readonly string[]; readonly choice: number };

/** Each changed knob gets a value that it does not have. */
function newValues({ file, changed, choice }: Edited): ReadonlyMap<string, Value> {
  return new Map(
    changed.map((path, at) => {
      const others = VALUES.filter((value) => value !== valueAt(file, path));
      const value = others[(choice + at) % others.length];
      if (value === undefined) throw new Error('there is always another value');
      return [path, value];
    }),
  );
}

describe('random edits of random files', () => {
  it('are found, exactly those, however the file is laid out', () => {
    fc.assert(
      fc.property(edits, (edited) => {
        const values = newValues(edited);
        const base = written(edited.file, new Map(), PLAIN);
        const head = written(edited.file, values, edited.layout);
        const delta = configDelta(parser.parse(base), parser.parse(head));
        const found = delta.kind === 'knobs' ? delta.changes : [];
        expect(delta.kind).toBe(values.size === 0 ? 'none' : 'knobs');
        expect(new Map(found.map(({ path, after }) => [path, after]))).toEqual(
          new Map([...values].map(([path, value]) => [path, value.text])),
        );
        for (const { path, before } of found) expect(before).toBe(valueAt(edited.file, path)?.text);
      }),
      { numRuns: 400 },
    );
  });

  it('are what applyEdits writes, byte for byte', () => {
    fc.assert(
      fc.property(edits, (edited) => {
        fc.pre(edited.changed.length > 0);
        const values = newValues(edited);
        const base = written(edited.file, new Map(), PLAIN);
        const wanted = [...values].map(([path, value]) => ({ path, after: value.text }));
        expect(applyEdits(parser.parse(base), wanted, parser)).toMatchObject({
          ok: true,
          value: { text: written(edited.file, values, PLAIN) },
        });
      }),
      { numRuns: 150 },
    );
  });

  it('every knob of a file has a path of its own and its own text', () => {
    fc.assert(
      fc.property(randomFile, (file) => {
        const text = written(file, new Map(), PLAIN);
        const knobs = readKnobs(parser.parse(text));
        expect(new Set(knobs.map((knob) => knob.path)).size).toBe(knobs.length);
        expect(new Set(knobs.map((knob) => knob.path))).toEqual(new Set(file.paths));
        for (const knob of knobs) expect(text.slice(knob.start, knob.end)).toBe(knob.value);
      }),
    );
  });

  it("Python's own ast finds the same values changed", async () => {
    const samples = fc.sample(edits, { numRuns: 300, seed: 20261121 }).map((edited) => ({
      base: written(edited.file, new Map(), PLAIN),
      head: written(edited.file, newValues(edited), edited.layout),
    }));
    const { stdout } = await execa('python3', [join(import.meta.dirname, '../support/ast-delta.py')], {
      input: JSON.stringify(samples.map(({ base, head }) => [base, head])),
    });
    const opinions = z
      .array(z.array(z.tuple([z.string().nullable(), z.string().nullable()])).nullable())
      .parse(JSON.parse(stdout));
    expect(opinions).toHaveLength(samples.length);
    for (const [at, { base, head }] of samples.entries()) {
      const delta = configDelta(parser.parse(base), parser.parse(head));
      const ours = delta.kind === 'knobs' ? delta.changes.map(({ before, after }) => [before, after]) : [];
      expect(ours.map((pair) => JSON.stringify(pair)).sort(), head).toEqual(
        opinions[at]?.map((pair) => JSON.stringify(pair)).sort(),
      );
    }
    expect(opinions.filter((opinion) => (opinion?.length ?? 0) > 0).length).toBeGreaterThan(100);
  });
});
