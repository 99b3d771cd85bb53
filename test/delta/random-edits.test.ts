import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffConfigs, readKnobs } from '../../src/delta/config-delta.ts';
import type { ExperimentFile, FileReading } from '../../src/domain/launch/change-facts.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';
import { readExperiments, readText } from '../support/read-experiments.ts';
import { type Layout, type RandomFile, randomFile, VALUES, type Value, valueAt, written } from './random-files.ts';

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

/** Each changed knob gets a different value. */
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

type Sample = {
  readonly edited: Edited;
  readonly base: string;
  readonly head: string;
  readonly left: ExperimentFile;
  readonly right: ExperimentFile;
};

/** Files before and after random edits, read in one process. */
async function samples(): Promise<readonly Sample[]> {
  const drawn = fc
    .sample(edits, { numRuns: 400, seed: 20261121 })
    .map((edited) => ({
      edited,
      base: written(edited.file, new Map(), PLAIN),
      head: written(edited.file, newValues(edited), edited.layout),
    }));
  const readings = await readExperiments(drawn.flatMap(({ base, head }) => [base, head]));
  return drawn.map((one, at) => ({ ...one, left: fileOf(readings[2 * at]), right: fileOf(readings[2 * at + 1]) }));
}

function fileOf(reading: FileReading | undefined): ExperimentFile {
  if (reading?.kind !== 'read') throw new Error(JSON.stringify(reading));
  return reading;
}

const drawn = await samples();

describe('random edits of random files', () => {
  it('are found exactly, for any layout of the file', () => {
    for (const { edited, left, right, head } of drawn) {
      const values = newValues(edited);
      const delta = diffConfigs(left, right);
      const found = delta.kind === 'knobs' ? delta.changes : [];
      expect(delta.kind, head).toBe(values.size === 0 ? 'none' : 'knobs');
      expect(new Map(found.map(({ path, after }) => [path, after]))).toEqual(
        new Map([...values].map(([path, value]) => [path, value.text])),
      );
      for (const { path, before } of found) expect(before).toBe(valueAt(edited.file, path)?.text);
    }
  });

  it('are what applyEdits writes, byte for byte', async () => {
    for (const { edited, left } of drawn.filter((one) => one.edited.changed.length > 0).slice(0, 20)) {
      const values = newValues(edited);
      const wanted = [...values].map(([path, value]) => ({ path, after: value.text }));
      expect(await applyEdits(left, wanted, readText)).toMatchObject({
        ok: true,
        value: { text: written(edited.file, values, PLAIN) },
      });
    }
  });

  it('every knob of a file has a unique path and its own text', () => {
    for (const { edited, left } of drawn) {
      const knobs = readKnobs(left);
      expect(new Set(knobs.map((knob) => knob.path)).size).toBe(knobs.length);
      expect(new Set(knobs.map((knob) => knob.path))).toEqual(new Set(edited.file.paths));
      for (const knob of knobs) expect(left.text.slice(knob.start, knob.end)).toBe(knob.value);
    }
  });
});
