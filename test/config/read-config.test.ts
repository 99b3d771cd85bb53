/** Possible errors in the text of a config, each with line and column; no text causes an exception. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { CONFIG_CHARACTERS_MAX } from '../../src/config/read-yaml.ts';
import type { ConfigProblem } from '../../src/settings/problem.ts';
import { addToLane, positionOf, replaceInConfig, SMALL } from './small-config.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml'), 'utf8');
const problemsOf = (text: string): readonly ConfigProblem[] => {
  const reading = readLabConfig(text);
  return reading.kind === 'invalid' ? reading.problems : reading.warnings;
};

/** Name, text, code, path, part of the message, and the text at the reported position. */
const SHAPES: readonly (readonly [string, string, string, string, RegExp, string])[] = [
  [
    'an unknown key that resembles a known one',
    addToLane('finalSteps: 100'),
    'unknown-key',
    'lanes.daily.finalSteps',
    /did you mean finalStep\?/,
    'finalSteps: 100',
  ],
  [
    'a key that every JavaScript object has',
    replaceInConfig('version: 1', 'version: 1\n__proto__: { x: 1 }'),
    'unknown-key',
    '',
    /not a key/,
    '__proto__',
  ],
  [
    'a Python with an argument',
    addToLane('python: python3 -c'),
    'bad-value',
    'lanes.daily.python',
    /the name of a program, or an absolute path/,
    'python: python3 -c',
  ],
  [
    'an unsupported version',
    replaceInConfig('version: 1', 'version: 2'),
    'bad-value',
    'version',
    /expected 1$/,
    'version: 2',
  ],
  [
    'a missing key',
    replaceInConfig('    scope: [experiments/daily.py]\n', ''),
    'missing-key',
    'lanes.daily.scope',
    /^missing: Files that a ferry PR may change/,
    'daily:',
  ],
  [
    'a number where a decimal in quotes belongs',
    replaceInConfig('acceleratorHoursPerRun: "2.5"', 'acceleratorHoursPerRun: 2.5'),
    'wrong-type',
    'clusters.local.acceleratorHoursPerRun',
    /a decimal number in quotes, such as "2.5"/,
    'acceleratorHoursPerRun: 2.5',
  ],
  [
    'a negative number of accelerator hours',
    replaceInConfig('acceleratorHoursPerRun: "2.5"', 'acceleratorHoursPerRun: "-2.5"'),
    'bad-value',
    'clusters.local.acceleratorHoursPerRun',
    /not negative/,
    'acceleratorHoursPerRun',
  ],
  [
    'a boolean of YAML 1.1',
    replaceInConfig('version: 1', 'version: 1\napprovals: { onePersonIsEnough: yes }'),
    'wrong-type',
    'approvals.onePersonIsEnough',
    /expected true or false/,
    'onePersonIsEnough',
  ],
  [
    'a text where a list belongs',
    replaceInConfig('ships: [experiments]', 'ships: experiments'),
    'wrong-type',
    'lanes.daily.ships',
    /expected a list, such as \[experiments\]/,
    'ships',
  ],
  [
    'a misspelt enum value',
    replaceInConfig('version: 1', 'version: 1\napprovals: { permission: maintainer }'),
    'bad-value',
    'approvals.permission',
    /expected one of write, maintain, admin; did you mean maintain\?/,
    'permission',
  ],
  [
    'an invalid cluster name',
    replaceInConfig('  local: {', '  Local: {').replace('cluster: local', 'cluster: local'),
    'bad-value',
    'clusters.Local',
    /lower-case letters/,
    'Local',
  ],
  [
    'a path outside the repository',
    replaceInConfig('experiment: experiments/daily.py', 'experiment: ../daily.py'),
    'bad-value',
    'lanes.daily.experiment',
    /without \.\./,
    'experiment: ../daily.py',
  ],
  [
    'a public key of another length',
    replaceInConfig('AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=', 'AgIC'),
    'bad-value',
    'keys.1.public',
    /32 bytes in base64/,
    'public: "AgIC"',
  ],
  [
    'a second encoding of a public key',
    replaceInConfig('AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=', 'AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgJ='),
    'bad-value',
    'keys.1.public',
    /32 bytes in base64/,
    'public: "AgIC',
  ],
];

/** Name, text, code, path, and the text at the reported position. */
const TEXTS: readonly (readonly [string, string, string, string, string])[] = [
  ['a key twice', replaceInConfig('version: 1', 'version: 1\nversion: 1'), 'syntax', '', 'version: 1\ngit'],
  ['a tab', 'git:\n  name: x\n\temail: y\n', 'syntax', '', '\temail'],
  ['two documents', 'version: 1\n---\nversion: 1\n', 'syntax', '', '---'],
  ['an alias of an anchor that does not exist', 'a: &a 1\nb: *a\nc: *nothing\n', 'alias', '', '*nothing'],
  ['a tag', replaceInConfig('kind: none', 'kind: !ruby none'), 'tag', '', '!ruby'],
  ['a merge key', replaceInConfig('tracker: {', 'tracker: { <<: {},'), 'merge-key', '', '<<'],
  ['a key that is not a name', '? [a, b]\n: 1\n', 'not-a-name', '', '[a'],
  ['a map within a line', 'version: 1\ngit: name: x\n', 'syntax', '', 'name: x'],
  [
    'bytes that are not UTF-8',
    new TextDecoder().decode(Uint8Array.of(97, 58, 32, 0xe9, 10)),
    'control-character',
    '',
    '\uFFFD',
  ],
  [
    'UTF-16',
    new TextDecoder().decode(Uint8Array.of(0xff, 0xfe, 97, 0, 58, 0, 32, 0, 49, 0)),
    'control-character',
    '',
    '\uFFFD',
  ],
  ['an invisible character', replaceInConfig('name: Lab', 'name: \u202eLab'), 'control-character', '', '\u202e'],
  ['too much text', `#${'x'.repeat(CONFIG_CHARACTERS_MAX)}`, 'too-long', '', '#'],
  ['nothing', '', 'empty', '', ''],
  ['a list', '- version\n', 'wrong-type', '', '- version'],
];

describe('the shape: a config is refused for', () => {
  it.each(SHAPES)('%s', (_, text, code, path, message, where) => {
    const problem = {
      severity: 'error',
      code,
      path,
      ...positionOf(text, where),
      message: expect.stringMatching(message),
    };
    expect(problemsOf(text)).toEqual(expect.arrayContaining([problem]));
    expect(readLabConfig(text).kind).toBe('invalid');
    expect(problemsOf(text).filter((one) => one.severity === 'error')).toHaveLength(1);
  });
});

describe('the text: a config is refused for', () => {
  it.each(TEXTS)('%s', (_, text, code, path, where) => {
    const reading = readLabConfig(text);
    expect(reading).toMatchObject({
      kind: 'invalid',
      problems: expect.arrayContaining([
        expect.objectContaining({ severity: 'error', code, path, ...positionOf(text, where) }),
      ]),
    });
  });

  it.each([
    ['brackets', '['.repeat(20_000), 1, 51],
    ['lists in one line', 'lanes:\n  '.concat('- '.repeat(20_000)), 2, null],
    ['maps', '{a: '.repeat(5_000), 1, null],
  ])('%s that nest too deep, with the position and the remedy', (_, text, line, column) => {
    expect(readLabConfig(text)).toEqual({
      kind: 'invalid',
      problems: [
        {
          severity: 'error',
          code: 'syntax',
          path: '',
          line,
          column: column ?? expect.any(Number),
          message: 'more than 50 lists and maps are open here: close the brackets before this place',
        },
      ],
    });
  });

  it('aliases that multiply', () => {
    const level = (i: number): string =>
      `k${i}: &k${i} [${Array(9)
        .fill(i === 0 ? 'x' : `*k${i - 1}`)
        .join(',')}]`;
    const bomb = Array.from({ length: 9 }, (_, i) => level(i)).join('\n');
    expect(readLabConfig(bomb)).toMatchObject({ kind: 'invalid', problems: [{ code: 'alias', line: 2 }] });
  });

  it('an alias of itself', () => {
    expect(readLabConfig('version: &a [*a]\n').kind).toBe('invalid');
    expect(readLabConfig(replaceInConfig('environment: {', 'environment: &a { A: *a,')).kind).toBe('invalid');
  });

  it('brackets without end', () => {
    expect(readLabConfig('['.repeat(CONFIG_CHARACTERS_MAX)).kind).toBe('invalid');
  });
});

describe('a branch name that git rejects', () => {
  it('is refused at its own position', () => {
    for (const key of ['logbookBranch: ferry//log', 'logbookBranch: a.lock'])
      expect(problemsOf(replaceInConfig('version: 1', `version: 1\n${key}`))).toMatchObject([
        { code: 'bad-value', path: 'logbookBranch', line: 2 },
      ]);
  });
});

describe('a file with a byte-order mark', () => {
  it('is read, and its first line counts from the first letter', () => {
    expect(readLabConfig(`\uFEFF${SMALL}`)).toMatchObject({ kind: 'valid', warnings: [] });
    expect(problemsOf(`\uFEFF${replaceInConfig('version: 1', 'version: 2')}`)).toMatchObject([
      { code: 'bad-value', line: 1, column: 1 },
    ]);
  });
});

describe('a config with several problems', () => {
  it('lists every problem of the text and the schema, in text order', () => {
    const text = replaceInConfig('version: 1', 'version: 1\nversion: 1')
      .replace('role: watch', 'role: watcher')
      .replace('cluster: local', 'cluster: far\n    zebra: 1\n    yak: 2')
      .replace('finalStep: 100', 'finalStep: soon');
    expect(problemsOf(text).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'syntax ',
      'bad-value keys.2.role',
      'unknown-key lanes.daily.zebra',
      'unknown-key lanes.daily.yak',
      'wrong-type lanes.daily.finalStep',
    ]);
  });

  it('is checked against the rules only once the schema accepts it', () => {
    const farAway = replaceInConfig('cluster: local', 'cluster: far');
    expect(problemsOf(farAway)).toMatchObject([{ path: 'lanes.daily.cluster', code: 'cluster-unknown' }]);
    expect(problemsOf(farAway.replace('finalStep: 100', 'finalStep: soon'))).toMatchObject([
      { path: 'lanes.daily.finalStep', code: 'wrong-type' },
    ]);
  });
});

it('never raises an exception, for any damage to the example config', () => {
  fc.assert(
    fc.property(fc.nat(TEXT.length), fc.nat(200), fc.string({ unit: 'binary' }), (at, length, insert) => {
      const reading = readLabConfig(TEXT.slice(0, at) + insert + TEXT.slice(at + length));
      expect(['valid', 'invalid']).toContain(reading.kind);
    }),
    { numRuns: 40 },
  );
});
