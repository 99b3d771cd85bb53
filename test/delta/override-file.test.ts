/** Overrides of a command line, as settings of an experiment file and as arguments of the job. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffConfigs, readKnobs } from '../../src/delta/config-delta.ts';
import { listOverrideArguments } from '../../src/delta/override-file.ts';
import { readDataFile } from '../../src/delta/read-data-file.ts';
import type { ExperimentFile } from '../../src/domain/launch/change-facts.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';

function fileOf(text: string): ExperimentFile {
  const file = readDataFile(text, 'args');
  if (file.kind === 'unparsable') throw new Error(file.message);
  return file;
}
const deltaOf = (base: string, head: string) => diffConfigs(fileOf(base), fileOf(head));

describe('a file of overrides', () => {
  it.each([
    ['optimizer.lr=3e-4', 'optimizer.lr', '3e-4', ['optimizer.lr=3e-4']],
    ['+model.depth=12', 'model.depth', '12', ['+model.depth=12']],
    ['++data/train=c4', 'data/train', 'c4', ['++data/train=c4']],
    ['--lr=3e-4', 'lr', '3e-4', ['--lr=3e-4']],
    ['--optimizer.lr  3e-4', 'optimizer.lr', '3e-4', ['--optimizer.lr', '3e-4']],
    ['--set optimizer.lr=3e-4', 'optimizer.lr', '3e-4', ['--set', 'optimizer.lr=3e-4']],
    ['  -o a.b=[1, 2] \r', 'a.b', '[1, 2]', ['-o', 'a.b=[1, 2]']],
    ['--name two words', 'name', 'two words', ['--name', 'two words']],
    ["tags='a # b'", 'tags', "'a # b'", ["tags='a # b'"]],
  ])('has %j as a knob and as arguments', (line, path, value, args) => {
    const text = `# a comment\n\n${line}\n`;
    expect(readKnobs(fileOf(text))).toMatchObject([{ path, value, line: 3 }]);
    expect(fileOf(text).code).toEqual([]);
    expect(listOverrideArguments(text)).toEqual(args);
  });

  it.each(['--resume', '~optimizer.lr', 'train.py', 'a=', '-m', 'a b=1', '--o=', '@more.args', '--set --x 1'])(
    'has %j as code',
    (line) => {
      expect(deltaOf('lr=1\n', `lr=1\n${line}\n`)).toMatchObject({ kind: 'structural', line: 2, statement: line });
    },
  );

  it('compares what a program gets, and nothing else', () => {
    expect(deltaOf('lr=1\n# why\na.b=2\n', 'a.b=2\n\n  lr=1')).toEqual({ kind: 'none' });
    expect(deltaOf('lr=3e-4\n', 'lr=0.0003\n')).toMatchObject({ kind: 'knobs' });
    expect(deltaOf('--lr 1\n', '--lr=1\n')).toMatchObject({ kind: 'knobs' });
    expect(deltaOf('lr=1\n', 'lr=1\nwd=2\n')).toMatchObject({ changes: [{ path: 'wd', before: null, after: '2' }] });
  });

  it('has a name that several lines set as code, and the order of a name and what is below it', () => {
    expect(deltaOf('lr=1\n--lr 2\n', 'lr=1\n--lr 3\n')).toMatchObject({ kind: 'structural', statement: '--lr 3' });
    const base = 'model=small\nmodel.lr=1\nsteps=5\n';
    expect(deltaOf(base, base.replace('lr=1', 'lr=2'))).toMatchObject({ changes: [{ path: 'model.lr' }] });
    expect(deltaOf(base, 'model.lr=1\nmodel=small\nsteps=5\n')).toMatchObject({ kind: 'structural' });
    expect(deltaOf(base, 'steps=5\nmodel=small\nmodel.lr=1\n')).toEqual({ kind: 'none' });
  });

  it('is unparsable with characters that people do not see', () => {
    expect(readDataFile('lr=1\nwd=\u202e2\n', 'args')).toMatchObject({ kind: 'unparsable', line: 2 });
  });
});

const name = fc.constantFrom('lr', 'model', 'model.lr', 'model.depth', 'data.a');
const value = fc.constantFrom('1', '3e-4', 'two words', '[1, 2]', "'x'", '=');
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key}=${text}`) },
  fc.tuple(name, value).map(([key, text]) => `--${key} ${text}`),
  fc.tuple(name, value).map(([key, text]) => `--set ${key}=${text}`),
  fc.constantFrom('--resume', '# note', '', '~lr', '+lr=2'),
);
const file = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));

/** What a program makes of the arguments that takes them one after another: a later value replaces an earlier one and all below it. */
function readByProgram(args: readonly string[]): Readonly<Record<string, unknown>> {
  const words = [...args];
  const read: Record<string, unknown> = {};
  const flags: string[] = [];
  const put = (key: string, text: string): void => {
    for (const other of Object.keys(read)) if (other === key || other.startsWith(`${key}.`)) delete read[other];
    read[key] = text;
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, key = '', text = ''] = /^\+*([\w.]+)=(.*)$/.exec(word === '--set' ? (words.shift() ?? '') : word) ?? [];
    if (key !== '') put(key, text);
    else if (word.startsWith('--') && word !== '--resume') put(word.slice(2), words.shift() ?? '');
    else flags.push(word);
  }
  return { ...read, flags };
}

describe('random files of overrides', () => {
  it('hide no change of what a program reads', () => {
    const counts: Record<string, number> = {};
    fc.assert(
      fc.property(file, file, (base, head) => {
        const delta = deltaOf(base, head);
        counts[delta.kind] = (counts[delta.kind] ?? 0) + 1;
        if (delta.kind === 'structural' || delta.kind === 'unparsable') return;
        const changed = delta.kind === 'none' ? [] : delta.changes.map(({ path }) => path);
        const isKept = ([key]: readonly [string, unknown]): boolean => !changed.includes(key);
        const kept = (text: string) =>
          Object.fromEntries(Object.entries(readByProgram(listOverrideArguments(text))).filter(isKept));
        expect(kept(head), `${base}\n=====\n${head}\n${JSON.stringify(delta)}`).toEqual(kept(base));
      }),
      { numRuns: 3_000, seed: 20261201 },
    );
    expect(counts['none'] ?? 0).toBeGreaterThan(10);
    expect(counts['knobs'] ?? 0).toBeGreaterThan(50);
  });

  it('change by an edit in one value, and keep every other character', async () => {
    const read = async (text: string) => readDataFile(text, 'args');
    await fc.assert(
      fc.asyncProperty(file, value, async (text, after) => {
        for (const knob of readKnobs(fileOf(text))) {
          const edited = await applyEdits(fileOf(text), [{ path: knob.path, after }], read);
          if (knob.value === after) expect(edited).toEqual({ ok: false, error: 'unchanged' });
          else
            expect(edited).toMatchObject({
              ok: true,
              value: { text: text.slice(0, knob.start) + after + text.slice(knob.end) },
            });
        }
      }),
      { numRuns: 300, seed: 20261201 },
    );
  });
});
