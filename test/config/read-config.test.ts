/** A config that breaks one rule says which, at its line and column; nothing that a person writes makes the reading throw. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { limits } from '../../src/domain/limits.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml'), 'utf8');
const SMALL = readFileSync(join(import.meta.dirname, 'small.yml'), 'utf8');
const replaced = (from: string, to: string): string => {
  if (SMALL.split(from).length !== 2) throw new Error(`${from} does not stand there once`);
  return SMALL.replace(from, to);
};
const placeOf = (text: string, part: string): { line: number; column: number } => {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

/** Name, text before, text after, path of the problem, part of its message, and the text at which it is shown. */
const BROKEN: readonly (readonly [string, string, string, string, RegExp, string])[] = [
  [
    'a cluster that is not there',
    'cluster: local',
    'cluster: far',
    'lanes.daily.cluster',
    /names no cluster: local/,
    'cluster: far',
  ],
  [
    'a cluster by the name of something every object has',
    'cluster: local',
    'cluster: constructor',
    'lanes.daily.cluster',
    /names no cluster/,
    'cluster: constructor',
  ],
  ['a role without a key', 'role: watch', 'role: runner', 'keys', /no key of role watch/, 'keys:'],
  [
    'an id that is used twice',
    'id: watch-1',
    'id: runner-1',
    'keys.2.id',
    /used twice/,
    'id: runner-1,  role: watch',
  ],
  [
    'a key under two roles',
    'public: "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM="',
    'public: "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="',
    'keys.2.public',
    /same key/,
    'public: "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=", from: "2026-03',
  ],
  [
    'a key that ends before it begins',
    'until: "2027-03-01T00:00:00Z"',
    'until: "2026-03-01T00:00:00Z"',
    'keys.2.until',
    /not after/,
    'until: "2026-03-01T00:00:00Z"',
  ],
  [
    'a scope without the experiment',
    'scope: [experiments/daily.py]',
    'scope: [lib/a.py]',
    'lanes.daily.scope',
    /does not hold the experiment/,
    'scope: [lib/a.py]',
  ],
  [
    'a job that would not get the experiment',
    'ships: [experiments]',
    'ships: [exp]',
    'lanes.daily.ships',
    /would not get/,
    'ships: [exp]',
  ],
  [
    'a run without a date',
    'runName: "daily-{date}"',
    'runName: "daily"',
    'lanes.daily.runName',
    /named by its date/,
    'runName: "daily"',
  ],
  [
    'a candidate twice',
    'id: wd-up',
    'id: lr-up',
    'lanes.daily.candidates.1.id',
    /used twice/,
    'id: lr-up, path: b',
  ],
  [
    'a secret in the environment',
    'FERRY_DATE:',
    'WANDB_API_KEY:',
    'lanes.daily.environment.WANDB_API_KEY',
    /looks like a secret/,
    'WANDB_API_KEY:',
  ],
  [
    'a placeholder in the command',
    'command: [python3, "{outputRoot}"]',
    'command: [python3, "{day}"]',
    'lanes.daily.command.1',
    /\{day\} is not filled in/,
    '"{day}"',
  ],
  [
    'a placeholder in the environment',
    '"{date}" }',
    '"{day}" }',
    'lanes.daily.environment.FERRY_DATE',
    /\{day\} is not filled in/,
    'FERRY_DATE: "{day}"',
  ],
  [
    'an output root inside itself',
    'outputRoot: "out/{run}"',
    'outputRoot: "out/{outputRoot}"',
    'lanes.daily.outputRoot',
    /\{outputRoot\} is not filled in/,
    'outputRoot: "out/',
  ],
  [
    'a placeholder in the metrics file',
    'metricsFile: "{outputRoot}/m.jsonl"',
    'metricsFile: "{root}/m.jsonl"',
    'lanes.daily.metricsFile',
    /\{root\} is not filled in/,
    'metricsFile:',
  ],
  [
    'a run name that the gate could not tell',
    'runName: "daily-{date}"',
    'runName: "daily-{date}-{run}"',
    'lanes.daily.runName',
    /\{run\} is not filled in/,
    'runName: "daily-{date}-{run}"',
  ],
  [
    'an unknown key',
    'finalStep: 100',
    'finalStep: 100\n    finalSteps: 100',
    'lanes.daily',
    /finalSteps/,
    'finalSteps: 100',
  ],
  ['another version', 'version: 1', 'version: 2', 'version', /expected 1/, 'version: 2'],
  [
    'a number where text belongs',
    'acceleratorHoursPerRun: "2.5"',
    'acceleratorHoursPerRun: 2.5',
    'clusters.local.acceleratorHoursPerRun',
    /a decimal number in quotes/,
    'acceleratorHoursPerRun: 2.5',
  ],
  [
    'a path that leaves the repository',
    'experiment: experiments/daily.py',
    'experiment: ../daily.py',
    'lanes.daily.experiment',
    /without \.\./,
    'experiment: ../daily.py',
  ],
  ['a key twice', 'version: 1', 'version: 1\nversion: 1', '', /unique/, 'version: 1\ngit'],
];

describe('the small config', () => {
  it('is valid, and is warned where nothing would judge a run', () => {
    expect(readConfig(SMALL)).toMatchObject({ kind: 'valid', warnings: [] });
    const unjudged = replaced(
      'metrics: [{ key: eval/loss, better: lower, tolerancePercent: "2" }]',
      'metrics: []',
    );
    expect(readConfig(unjudged)).toMatchObject({
      kind: 'valid',
      warnings: [{ severity: 'warning', path: 'lanes.daily.metrics', ...placeOf(unjudged, 'metrics: []') }],
    });
  });
});

describe('a config is refused for', () => {
  it.each(BROKEN)('%s', (_, from, to, path, message, where) => {
    const text = replaced(from, to);
    const reading = readConfig(text);
    const problems = reading.kind === 'invalid' ? reading.problems : [];
    const place = placeOf(text, where);
    expect(problems).toEqual([
      { severity: 'error', path, ...place, message: expect.stringMatching(message) },
    ]);
  });

  it('its length, before it is parsed', () => {
    const text = `#${'x'.repeat(limits.configCharactersMax)}`;
    expect(readConfig(text)).toMatchObject({ kind: 'invalid', problems: [{ line: 1, column: 1 }] });
  });

  it.each([
    [
      'aliases that multiply',
      Array.from(
        { length: 9 },
        (_, i) =>
          `k${i}: &k${i} [${Array(9)
            .fill(i === 0 ? 'x' : `*k${i - 1}`)
            .join(',')}]`,
      ).join('\n'),
    ],
    ['an alias of nothing', 'version: *nothing\n'],
    ['an alias of itself', 'a: &a [*a]\n'],
    ['brackets without end', '['.repeat(limits.configCharactersMax)],
    ['nothing', ''],
    ['two documents', 'version: 1\n---\nversion: 1\n'],
    ['a tab', 'git:\n\tname: x\n'],
  ])('%s', (_, text) => {
    const reading = readConfig(text);
    expect(reading.kind).toBe('invalid');
    expect(reading.kind === 'invalid' && reading.problems.length).toBeGreaterThan(0);
  });
});

it('shows an alias of nothing where it stands', () => {
  expect(readConfig('a: &a 1\nb: *a\nc: *nothing\n')).toMatchObject({
    problems: [{ line: 3, column: 4, message: expect.stringContaining('nothing') }],
  });
});

it('never throws, however the example config is damaged', () => {
  fc.assert(
    fc.property(fc.nat(TEXT.length), fc.nat(200), fc.string({ unit: 'binary' }), (at, length, insert) => {
      const reading = readConfig(TEXT.slice(0, at) + insert + TEXT.slice(at + length));
      expect(['valid', 'invalid']).toContain(reading.kind);
    }),
    { numRuns: 60 },
  );
});
