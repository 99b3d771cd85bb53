/** Wrong configs of new users: each answer names the mistake, its place, and the way out. */

import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { addToLane, replaceInConfig, SMALL } from './small-config.ts';

const WITHOUT_KEYS = SMALL.replace(/keys:\n(?: {2}- .*\n){3}/, 'keys: []\n');
const CLUSTER = 'local: { engine: local, acceleratorHoursPerRun: "2.5" }';
const COMMAND = 'command: [python3, "{outputRoot}"]';
const TRACKER = 'tracker: { kind: none, entity: "", project: "" }';
const KEY = /public: "AQEB[^"]*"/.exec(SMALL)?.[0] ?? '';

/** The mistake, the text, the path of the key, and the answer. */
const WRONG: readonly (readonly [mistake: string, text: string, path: string, answer: RegExp])[] = [
  ['a key in lower case', replaceInConfig('runName:', 'runname:'), 'lanes.daily.runname', /did you mean runName\?/],
  [
    'a bare decimal',
    replaceInConfig('"2.5"', '2.5'),
    'clusters.local.acceleratorHoursPerRun',
    /a decimal number in quotes, such as "2\.5"/,
  ],
  [
    'an unknown engine',
    replaceInConfig('engine: local', 'engine: kubernetes'),
    'clusters.local.engine',
    /expected one of local, ray, slurm, iris, vast$/,
  ],
  ['a typo in an engine', replaceInConfig('engine: local', 'engine: slrum'), 'clusters.local.engine', /mean slurm\?/],
  ['a list of clusters', replaceInConfig(CLUSTER, '- { engine: local }'), 'clusters', /a map of names/],
  [
    'a cluster that is not listed',
    replaceInConfig('cluster: local', 'cluster: bx'),
    'lanes.daily.cluster',
    /^bx is not among the clusters: local$/,
  ],
  [
    'an experiment in another format',
    SMALL.replaceAll('experiments/daily.py', 'experiments/daily.ini'),
    'lanes.daily.experiment',
    /\.py, \.yaml, \.yml, \.toml, \.json or \.args/,
  ],
  ['another version', replaceInConfig('version: 1', 'version: 2'), 'version', /^expected 1$/],
  [
    'an unknown placeholder',
    replaceInConfig('out/{run}', 'out/{output_root}'),
    'lanes.daily.outputRoot',
    /known: date, runName, run/,
  ],
  [
    'a public key in PEM',
    replaceInConfig(KEY, 'public: "-----BEGIN PUBLIC KEY-----"'),
    'keys.0.public',
    /32 bytes in base64.*openssl pkey/,
  ],
  [
    'a command as text',
    replaceInConfig(COMMAND, 'command: python3 train.py config/daily.py'),
    'lanes.daily.command',
    /such as \[python3, train\.py, config\/daily\.py\]/,
  ],
  [
    'a command in one entry',
    replaceInConfig(COMMAND, "command: ['python3 train.py']"),
    'lanes.daily.command',
    /write each word as an entry/,
  ],
  [
    'a key without a duration',
    replaceInConfig('2027-01-01', '2026-01-01'),
    'keys.0.until',
    /`until` is not after `from`/,
  ],
  ['a tracker as a word', replaceInConfig(TRACKER, 'tracker: wandb'), 'lanes.daily.tracker', /keys measures, kind,/],
  ['a tab', replaceInConfig('  daily:', '\tdaily:'), '', /use spaces/],
  ['an empty file', '', '', /empty: `ferrybot init` writes/],
  [
    'no e-mail address',
    replaceInConfig(', email: automation@lab.example', ''),
    'git.email',
    /missing: Address of the committer/,
  ],
  ['a key twice', `${SMALL}lanes: {}\n`, '', /twice: keep one/],
  [
    'a key with the wrong ending',
    addToLane('requireChecks: all'),
    'lanes.daily.requireChecks',
    /did you mean requiredChecks\?/,
  ],
  [
    'a bare time',
    addToLane('schedule: { notBefore: 6:00 }'),
    'lanes.daily.schedule.notBefore',
    /in quotes, such as "06:30"/,
  ],
  ['a bare login', addToLane('inCharge: [mira]'), 'lanes.daily.inCharge.0', /"@login" or "@organization\/team"/],
  ['no keys', WITHOUT_KEYS, 'keys', /at least 1 entry in the list/],
  // Not in the report.
  ['a login instead of a list', addToLane('inCharge: mira'), 'lanes.daily.inCharge', /such as \[mira\]/],
  [
    'a step in quotes',
    replaceInConfig('finalStep: 100', 'finalStep: "100"'),
    'lanes.daily.finalStep',
    /without quotes/,
  ],
  [
    'a number as a variable',
    replaceInConfig('FERRY_DATE: "{date}"', 'EPOCHS: 3'),
    'lanes.daily.environment.EPOCHS',
    /in quotes: "3"/,
  ],
  [
    'an unknown direction',
    replaceInConfig('better: lower', 'better: min'),
    'lanes.daily.metrics.0.better',
    /expected one of lower, higher$/,
  ],
  ['an interval in seconds', addToLane('cadence: { pollMs: 3 }'), 'lanes.daily.cadence.pollMs', /at least 1000/],
  ['a negative count', addToLane('restartsMax: -1'), 'lanes.daily.restartsMax', /at least 0/],
  [
    'an address without a host',
    replaceInConfig('automation@lab.example', 'automation'),
    'git.email',
    /such as ferries@/,
  ],
  ['no shipped folder', replaceInConfig('ships: [experiments]', 'ships: []'), 'lanes.daily.ships', /at least 1 entry/],
  [
    'a wrong indentation',
    replaceInConfig('    cluster: local', '   cluster: local'),
    '',
    /not indented like the other/,
  ],
  ['a secret with its value', addToLane('passSecrets: [{ A: b }]'), 'lanes.daily.passSecrets.0', /not a list or a map/],
  [
    'a full day name',
    addToLane('schedule: { days: [monday] }'),
    'lanes.daily.schedule.days.0',
    /expected one of sun, mon/,
  ],
];

describe('a wrong config', () => {
  it.each(WRONG)('with %s gets the way out', (_, text, path, answer) => {
    const reading = readLabConfig(text);
    const problems = reading.kind === 'invalid' ? reading.problems : [];
    expect(problems.filter((one) => one.path === path).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(answer),
    );
    for (const { message } of problems) expect(message).not.toMatch(/Invalid|Too small|expected record|>=/);
  });

  it('with a secret where a list belongs does not repeat the secret', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const reading = readLabConfig(addToLane(`passSecrets: ${token}`));
    expect(JSON.stringify(reading)).toContain('expected a list');
    expect(JSON.stringify(reading)).not.toContain(token);
  });
});
