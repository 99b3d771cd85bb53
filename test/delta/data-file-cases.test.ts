/** What is a setting and what is code in YAML, TOML and JSON. */

import { describe, expect, it } from 'vitest';
import { diffConfigs, readKnobs } from '../../src/delta/config-delta.ts';
import { readDataFile } from '../../src/delta/read-data-file.ts';
import type { Delta } from '../../src/domain/launch/change-facts.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';
import { applyRequestedKnobs } from '../../src/kinds/ferry/requested-change.ts';
import { experimentFile, readText } from '../support/read-experiments.ts';
import type { Format } from './random-data.ts';

const deltaOf = (format: Format, base: string, head: string): Delta =>
  diffConfigs(readDataFile(base, format), readDataFile(head, format));

describe('a change in YAML is code if it is', () => {
  it.each([
    ['the value of an anchor', 'a: &x 1\nb: *x\n', 'a: &x 2\nb: *x\n', 1],
    ['below an anchor', 'm: &m\n  lr: 1\n', 'm: &m\n  lr: 2\n', 1],
    ['a new anchor', 'a: 1\n', 'a: &x 1\n', 1],
    ['another alias', 'a: &x 1\nb: &y 1\nc: *x\n', 'a: &x 1\nb: &y 1\nc: *y\n', 3],
    ['a merge key', 'a: &x {p: 1}\nb: {q: 2}\n', 'a: &x {p: 1}\nb: {<<: *x, q: 2}\n', 2],
    ['a tag', 'a: 1\nb: 5\n', 'a: 1\nb: !!str 5\n', 2],
    ['a tag that makes an object', 'a: {}\n', 'a: !!python/object:os.system {}\n', 1],
    ['a value below a tag', 'a: !new {x: 1}\n', 'a: !new {x: 2}\n', 1],
    ['a repeated key', 'a:\n  b: 1\n', 'a:\n  b: 1\n  b: 2\n', 1],
    ['the value of a repeated key', 'a: {b: 1, b: 2}\nc: 1\n', 'a: {b: 1, b: 3}\nc: 1\n', 1],
    ['a second document', 'a: 1\n', 'a: 1\n---\nb: 2\n', 1],
    ['a value of the first of two documents', 'a: 1\n---\nb: 2\n', 'a: 2\n---\nb: 2\n', 1],
    ['a directive', 'a: 1\n', '%YAML 1.1\n---\na: 1\n', 1],
    ['another directive', '%YAML 1.1\n---\na: 1\n', '%YAML 1.2\n---\na: 1\n', 1],
    ["Hydra's list of defaults", 'defaults:\n  - model: small\n', 'defaults:\n  - model: large\n', 1],
    ["Hydra's package", '# @package _global_\na: 1\n', '# @package model\na: 1\n', 1],
    ['a collection as a key', '? [a]\n: 1\n', '? [b]\n: 1\n', 1],
    ['a list beside an alias', 'b: &x 1\nl: [*x, 1]\n', 'b: &x 1\nl: [*x, 2]\n', 2],
    ['the whole file', 'a: 1\n', '- a\n', 1],
  ])('%s', (_, base, head, line) => {
    expect(deltaOf('yaml', base, head)).toMatchObject({ kind: 'structural', line });
    expect(deltaOf('yaml', head, base)).toMatchObject({ kind: 'structural' });
    expect(deltaOf('yaml', head, `# a comment\n${head}`.replace(/^(# a comment\n)%/, '%'))).not.toMatchObject({
      kind: 'knobs',
    });
  });

  it('but not beside it: other settings of the file can change', () => {
    const file = (lr: string, wd: string): string =>
      `# @package _global_\ndefaults: [model]\nbase: &b {p: 1}\nopt:\n  <<: *b\n  lr: ${lr}\nruns:\n  - *b\n  - wd: ${wd}\n`;
    expect(deltaOf('yaml', file('1', '2'), file('3', '4'))).toMatchObject({
      kind: 'knobs',
      changes: [
        { path: 'opt.lr', before: '1', after: '3', line: 6 },
        { path: 'runs[1].wd', before: '2', after: '4', line: 9 },
      ],
    });
  });
});

describe('a value', () => {
  it.each<[Format, string, string, string, boolean]>([
    ['yaml', 'a spelling that YAML 1.1 and 1.2 read alike', 'a: 0.001\n', 'a: 1.0e-3\n', true],
    ['yaml', 'a float that is text for PyYAML', 'a: 0.001\n', 'a: 1e-3\n', false],
    ['yaml', 'a word that is true for PyYAML', 'a: true\n', 'a: on\n', false],
    ['yaml', 'quotes', 'a: cosine\n', 'a: "cosine"\n', true],
    ['yaml', 'text instead of a number', 'a: 12\n', 'a: "12"\n', false],
    ['yaml', 'no value and null', 'a:\n', 'a: null\n', true],
    ['yaml', 'block and flow', 'a:\n  - b: 1\n', 'a: [{b: 1}]\n', true],
    ['yaml', 'a folded text', 'a: >-\n  x\n  y\n', 'a: x y\n', true],
    ['toml', 'an exponent', 'a = 3e-3', 'a = 0.003', true],
    ['toml', 'an integer for a float', 'a = 1', 'a = 1.0', false],
    ['toml', 'digits in groups', 'a = 1_000', 'a = 1000', true],
    ['toml', 'a header and dotted keys', '[a]\nb = 1\nc = 2\n', 'a.c = 2\na.b = 1\n', true],
    ['toml', 'tables and a list of inline tables', '[[a]]\nb = 1\n', 'a = [{ b = 1 }]\n', true],
    ['json', 'an exponent', '{"a": 3e-3}', '{"a": 0.003}', true],
    ['json', 'an integer for a float', '{"a": 1}', '{"a": 1.0}', false],
    ['json', 'a large integer', '{"a": 9007199254740993}', '{"a": 9007199254740992}', false],
  ])('of %s with %s: the delta compares what is read', (format, _, base, head, isSame) => {
    expect(deltaOf(format, base, head).kind).toBe(isSame ? 'none' : 'knobs');
  });

  it.each<[Format, string, string, readonly (readonly [string, string | null, string | null])[]]>([
    ['yaml', 'a: 1\n', 'a: 1\nb:\n  c: x, y\n  d: [1, 2]\n', [['b', null, '{c: "x, y", d: [1, 2]}']]],
    ['yaml', 'l:\n  - a # one\n  - b\n', 'l: [a]\n', [['l', '[a, b]', '[a]']]],
    ['yaml', 'l:\n  - {a: 1, b: 2}\n', 'l:\n  - {a: 1, b: 3}\n', [['l[0].b', '2', '3']]],
    ['yaml', 't: |\n  one\n  two\n', 't: three\n', [['t', '"one\\ntwo\\n"', 'three']]],
    [
      'yaml',
      'a.b: 1\n8: 2\n',
      'a.b: 2\n8: 3\n',
      [
        ['["a.b"]', '1', '2'],
        ['[8]', '2', '3'],
      ],
    ],
    ['toml', 'a = 1\n', 'a = 1\n[b]\nc = "x"\n"d e" = 2\n', [['b', null, '{c = "x", "d e" = 2}']]],
    ['toml', '[[a]]\nb = 1\n[[a]]\nb = 2\n', '[[a]]\nb = 1\n[[a]]\nb = 3\n', [['a[1].b', '2', '3']]],
    ['json', '{"a": {"b": [1, {"c": 2}]}}', '{"a": {"b": [1, {"c": 3}]}}', [['a.b[1].c', '2', '3']]],
    ['json', '{"a": 1, "b": 2}', '{"a": 1}', [['b', '2', null]]],
  ])('of %s is shown on one line, by its innermost key: %j', (format, base, head, rows) => {
    const delta = deltaOf(format, base, head);
    expect(delta.kind).toBe('knobs');
    const changes = delta.kind === 'knobs' ? delta.changes : [];
    expect(changes.map(({ path, before, after }) => [path, before, after])).toEqual(rows);
  });
});

describe('a file is not read', () => {
  it.each<[string, Format, string | Uint8Array, number, RegExp]>([
    ['a control character', 'yaml', 'a: 1\nb: \0\n', 2, /U\+0000/],
    ['a bidirectional mark', 'toml', 'a = 1\n# \u202e\n', 2, /U\+202E/],
    ['a byte order mark', 'json', '\ufeff{}', 1, /U\+FEFF/],
    ['a lone carriage return', 'yaml', 'a: 1\rb: 2\n', 1, /U\+000D/],
    ['bytes that are not UTF-8', 'yaml', Uint8Array.of(97, 58, 32, 255), 1, /U\+FFFD/],
    ['more characters than allowed', 'yaml', `a: ${'1'.repeat(100_000)}`, 1, /longer than 100000/],
    ['too many levels in YAML', 'yaml', `a: ${'['.repeat(40_000)}`, 1, /100 levels/],
    ['too many levels in TOML', 'toml', `a = ${'['.repeat(40_000)}${']'.repeat(40_000)}`, 1, /100 levels/],
    ['more levels than allowed', 'json', `{"a": ${'['.repeat(101)}${']'.repeat(101)}}`, 1, /100 levels/],
    ['an open bracket', 'yaml', 'a: 1\nb: [1\nc: 2\n', 3, /./],
    ['a repeated key in TOML', 'toml', 'a = 1\na = 2\n', 2, /./],
    ['a comment in JSON', 'json', '{\n  // why\n  "a": 1\n}', 2, /why/],
    ['a trailing comma in JSON', 'json', '{\n  "a": 1,\n}', 3, /JSON/],
    ['an alias in JSON', 'json', '{"a": *b}', 1, /./],
    ['YAML in a JSON file', 'json', 'a: 1', 1, /./],
  ])('with %s', (_, format, source, line, message) => {
    expect(readDataFile(source, format)).toMatchObject({
      kind: 'unparsable',
      line,
      message: expect.stringMatching(message),
    });
  });
});

describe('an edit', () => {
  it.each<[string, string, string, string, string, string]>([
    ['keeps the comment of a line', 'd.yaml', 'a: 1 # why\n', 'a', '2', 'a: 2 # why\n'],
    ['keeps CRLF', 'd.yaml', 'a:\r\n  b: 1\r\n', 'a.b', '2', 'a:\r\n  b: 2\r\n'],
    ['fills an empty value', 'd.yml', 'a: # why\nb: 1\n', 'a', '5', 'a: 5 # why\nb: 1\n'],
    ['replaces a block list', 'd.yaml', 'o:\n  a:\n  - 1\n  - 2\nb: 1\n', 'o.a', '[3]', 'o:\n  a:\n   [3]\nb: 1\n'],
    ['replaces a block text', 'd.yaml', 'a: |\n  x\n  y\nb: 1\n', 'a', '"z"', 'a: "z"\nb: 1\n'],
    [
      'edits below a table header',
      'd.toml',
      '[o] # c\n  lr = 1e-3 # why\n',
      'o.lr',
      '2e-3',
      '[o] # c\n  lr = 2e-3 # why\n',
    ],
    ['edits an inline table', 'd.toml', 'o = { lr = 1, wd = 2 }\n', 'o.wd', '3', 'o = { lr = 1, wd = 3 }\n'],
    ['keeps tabs', 'd.json', '{\n\t"a":1,\n\t"b":2\n}', 'a', '3', '{\n\t"a":3,\n\t"b":2\n}'],
  ])('%s', async (_, path, text, knob, after, wanted) => {
    const file = await experimentFile(text, path);
    expect(await applyEdits(file, [{ path: knob, after }], (one) => readText(one, path))).toMatchObject({
      ok: true,
      value: { text: wanted, changes: [{ path: knob, after }] },
    });
  });

  it.each<[string, string, string, string]>([
    ['d.yaml', 'a: 1\n', 'a', '2\nb: 3'],
    ['d.yaml', 'a: 1\n', 'a', '&x 2'],
    ['d.yaml', 'a: 1\n', 'a', '!!str 2'],
    ['d.yaml', 'a: 1\nb: &x 1\n', 'a', '*x'],
    ['d.yaml', 'a: 1\n', 'a', '2 # hidden'],
    ['d.yaml', 'a: {b: 1}\n', 'a.b', '2, c: 3'],
    ['d.toml', 'a = 1\n', 'a', '2\nb = 3'],
    ['d.toml', 'a = 1\n', 'a', 'cosine'],
    ['d.json', '{"a": 1}', 'a', '2, "b": 3'],
  ])('of %s is refused if it would write more than a value: %j', async (path, text, knob, after) => {
    const file = await experimentFile(text, path);
    const read = (one: string): ReturnType<typeof readText> => readText(one, path);
    expect(await applyEdits(file, [{ path: knob, after }], read)).toMatchObject({ error: 'refused' });
    expect(await applyRequestedKnobs(file, read, [[knob, after]], null)).toMatchObject({ ok: false });
  });

  it.each<[string, string, string, string]>([
    ['d.yaml', 'a: cosine\n', 'linear', 'a: linear\n'],
    ['d.yaml', 'a: cosine\n', 'yes: no', 'a: "yes: no"\n'],
    ['d.yaml', "a: 'x'\n", "it's", `a: it's\n`],
    ['d.yaml', 'a: cosine\n', 'true', 'a: "true"\n'],
    ['d.toml', "a = 'cosine'\n", 'linear', "a = 'linear'\n"],
    ['d.toml', "a = 'cosine'\n", "it's", 'a = "it\'s"\n'],
    ['d.json', '{"a": "cosine"}', 'linear', '{"a": "linear"}'],
  ])('of %s writes a text that a person asks for as text: %j', async (path, text, value, wanted) => {
    const file = await experimentFile(text, path);
    const asked = await applyRequestedKnobs(file, (one) => readText(one, path), [['a', value]], null);
    expect(asked).toMatchObject({ ok: true, value: { text: wanted } });
  });

  it('finds the knobs of every format with their buckets', async () => {
    for (const [path, text] of [
      ['d.yaml', 'optimizer:\n  learning-rate: 1\n'],
      ['d.toml', '[optimizer]\nlearning-rate = 1\n'],
      ['d.json', '{"optimizer": {"learning-rate": 1}}'],
    ] as const)
      expect(readKnobs(await experimentFile(text, path))).toMatchObject([
        { path: 'optimizer.learning-rate', knob: 'learning-rate', value: '1', bucket: 'optimizer' },
      ]);
  });
});
