/** Every rule across keys: a config that breaks only this rule gets its error at the right position. */

import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { brandAs, type Instant, isInstant } from '../../src/domain/values.ts';
import { CHECK_NAME } from '../../src/github/check-run.ts';
import { ADOPTED_LANE } from '../support/adopted-job.ts';
import { addSecondLane, addToLane, positionOf, replaceInConfig, SMALL } from './small-config.ts';

type Row = readonly [name: string, text: string, code: string, path: string, where: string];
const at = (moment: string): Instant => brandAs(Date.parse(moment), isInstant);
const NOW = at('2026-06-01T00:00:00Z');
const top = (lines: string): string => replaceInConfig('version: 1\n', `version: 1\n${lines}\n`);

const ERRORS: readonly Row[] = [
  [
    'a missing cluster',
    replaceInConfig('cluster: local', 'cluster: far'),
    'cluster-unknown',
    'lanes.daily.cluster',
    'cluster: far',
  ],
  ['a role without a key', replaceInConfig('role: watch', 'role: runner'), 'role-without-key', 'keys', 'keys:'],
  [
    'a repeated id',
    replaceInConfig('id: watch-1', 'id: runner-1'),
    'doubled',
    'keys.2.id',
    'id: runner-1,  role: watch',
  ],
  [
    'a key that ends before it starts',
    replaceInConfig('until: "2027-03-01T00:00:00Z"', 'until: "2026-03-01T00:00:00Z"'),
    'key-window',
    'keys.2.until',
    'until: "2026-03-01',
  ],
  [
    'a higher cost with fewer approvers',
    top("approvals: { quorum: 2, quorumByCost: [{ fromAcceleratorHours: '1', people: 1 }] }"),
    'quorum-order',
    'approvals.quorumByCost.0.people',
    'people',
  ],
  [
    'cost rows in the wrong order',
    top(
      "approvals: { quorumByCost: [{ fromAcceleratorHours: '9', people: 2 }, { fromAcceleratorHours: '10', people: 2 }, { fromAcceleratorHours: '10.0', people: 3 }] }",
    ),
    'quorum-order',
    'approvals.quorumByCost.2.fromAcceleratorHours',
    "fromAcceleratorHours: '10.0'",
  ],
  [
    'a scope that does not contain the experiment',
    replaceInConfig('scope: [experiments/daily.py]', 'scope: [experiments/a.py]'),
    'not-in-scope',
    'lanes.daily.scope',
    'scope: [exp',
  ],
  [
    'shipped paths that do not contain the experiment',
    replaceInConfig('ships: [experiments]', 'ships: [exp]'),
    'not-shipped',
    'lanes.daily.ships',
    'ships: [exp]',
  ],
  [
    'an experiment in an unknown format',
    SMALL.replaceAll('daily.py', 'daily.gin'),
    'no-format',
    'lanes.daily.experiment',
    'experiment: exp',
  ],
  [
    'a pattern where a path is expected',
    replaceInConfig('ships: [experiments]', 'ships: [experiments, "lib/*"]'),
    'pattern-in-path',
    'lanes.daily.ships.1',
    '"lib/*"',
  ],
  [
    'a ferry scope that contains the lab’s rules',
    replaceInConfig('scope: [experiments/daily.py]', 'scope: [experiments/daily.py, .github/ferrybot.yml]').replace(
      'ships: [experiments]',
      'ships: [experiments, .github]',
    ),
    'scope-guards',
    'lanes.daily.scope.1',
    '.github/ferrybot.yml',
  ],
  [
    'a fix scope that contains the lab’s rules',
    replaceInConfig(
      'scope: [experiments/daily.py]',
      'scope: [experiments/daily.py]\n    fixScope: [.github/workflows]',
    ).replace('ships: [experiments]', 'ships: [experiments, .github]'),
    'scope-guards',
    'lanes.daily.fixScope.0',
    '.github/workflows]',
  ],
  [
    'a fix scope that contains the closure log',
    replaceInConfig('scope: [experiments/daily.py]', 'scope: [experiments/daily.py]\n    fixScope: [docs]'),
    'log-in-scope',
    'lanes.daily.closureLog',
    'daily:',
  ],
  [
    'a closure log inside the shipped folders',
    addToLane('closureLog: experiments/log.md'),
    'log-shipped',
    'lanes.daily.closureLog',
    'closureLog',
  ],
  [
    'a run name without a date',
    replaceInConfig('runName: "daily-{date}"', 'runName: "daily"'),
    'run-undated',
    'lanes.daily.runName',
    'runName',
  ],
  [
    'one output folder for all runs',
    replaceInConfig('outputRoot: "out/{run}"', 'outputRoot: "out/all"'),
    'output-shared',
    'lanes.daily.outputRoot',
    'outputRoot: "out',
  ],
  [
    'one metrics file for all runs',
    replaceInConfig('metricsFile: "{outputRoot}/m.jsonl"', 'metricsFile: "out/m.jsonl"'),
    'metrics-shared',
    'lanes.daily.metricsFile',
    'metricsFile',
  ],
  [
    'an unknown placeholder in the command',
    replaceInConfig('command: [python3, "{outputRoot}"]', 'command: [python3, "{day}"]'),
    'placeholder-unknown',
    'lanes.daily.command.1',
    '"{day}"',
  ],
  [
    'overrides without a file of overrides',
    replaceInConfig('command: [python3, "{outputRoot}"]', 'command: [python3, "{overrides}"]'),
    'no-overrides',
    'lanes.daily.command',
    'command: [python3',
  ],
  [
    'overrides as a part of an argument',
    replaceInConfig('command: [python3, "{outputRoot}"]', 'command: [python3, "--set={overrides}"]'),
    'placeholder-unknown',
    'lanes.daily.command.1',
    '"--set=',
  ],
  [
    'an invalid link',
    replaceInConfig('"2.5" }', '"2.5", links: { job: "javascript:alert(1)" } }'),
    'bad-link',
    'clusters.local.links.job',
    'job: "java',
  ],
  [
    'a records folder outside the permitted folder',
    replaceInConfig('"2.5" }', '"2.5", jobs: ../other }'),
    'outside-folder',
    'clusters.local.jobs',
    'jobs: ..',
  ],
  [
    'a tracker without a project',
    replaceInConfig('kind: none, entity: ""', 'kind: wandb, entity: "lab"'),
    'tracker-unnamed',
    'lanes.daily.tracker.project',
    'project: ""',
  ],
  [
    'a variable with the name of a secret',
    replaceInConfig('FERRY_DATE:', 'WANDB_API_KEY:'),
    'secret-name',
    'lanes.daily.environment.WANDB_API_KEY',
    'WANDB_API_KEY:',
  ],
  [
    'a secret value in an argument',
    replaceInConfig('[python3, "{outputRoot}"]', `[python3, "--token=ghp_${'a1'.repeat(18)}"]`),
    'secret-value',
    'lanes.daily.command.1',
    '"--token',
  ],
  [
    'a secret value in an address',
    replaceInConfig('FERRY_DATE: "{date}"', 'FERRY_STORE: "https://me:pass1234@store.example/x"'),
    'secret-value',
    'lanes.daily.environment.FERRY_STORE',
    'FERRY_STORE',
  ],
  [
    'the token of the workflow as a passed secret',
    addToLane('passSecrets: [GITHUB_TOKEN]'),
    'reserved-name',
    'lanes.daily.passSecrets.0',
    'GITHUB_TOKEN',
  ],
  [
    'a key of ferrybot as a passed secret',
    addToLane('passSecrets: [WANDB_API_KEY, FERRYBOT_RUNNER_KEY]'),
    'reserved-name',
    'lanes.daily.passSecrets.1',
    'FERRYBOT_RUN',
  ],
  [
    'a secret that is also set as a variable',
    addToLane('passSecrets: [FERRY_DATE]'),
    'passed-and-set',
    'lanes.daily.passSecrets.0',
    'FERRY_DATE]',
  ],
  [
    'a candidate that is also a scale knob',
    addToLane('scaleKnobs: [c, b]'),
    'candidate-scales',
    'lanes.daily.candidates.1.path',
    'path: b',
  ],
  [
    'ferrybot’s own check as a required check',
    addToLane(`requiredChecks: [unit, "${CHECK_NAME}"]`),
    'own-check',
    'lanes.daily.requiredChecks.1',
    `"${CHECK_NAME}"`,
  ],
  [
    'a command of ferrybot as a command of another bot',
    top('otherBots: [/retest, /stop]'),
    'own-command',
    'otherBots.1',
    '/stop]',
  ],
  [
    'the same workflow for launches and watches',
    top('workflows: { launch: a.yml, watch: a.yml }'),
    'one-workflow',
    'workflows.watch',
    'watch: a.yml',
  ],
  [
    'the same branch for the logbook and the code',
    top('logbookBranch: main'),
    'branch-conflict',
    'logbookBranch',
    'logbookBranch',
  ],
  [
    'a key that has expired',
    replaceInConfig('until: "2027-03-01T00:00:00Z"', 'until: "2026-05-01T00:00:00Z"'),
    'role-without-key-now',
    'keys.2.until',
    'until: "2026-05',
  ],
];

const APART: readonly [string, string][] = [
  ['experiment: experiments/daily.py', 'experiment: experiments/weekly.py'],
  ['scope: [experiments/daily.py]', 'scope: [experiments/weekly.py]'],
  ['runName: "daily-{date}"', 'runName: "weekly-{date}"'],
];

/** Finds the position in the second lane, after its name. */
const BETWEEN_LANES: readonly Row[] = [
  [
    'the same tracker name for runs of two lanes',
    addSecondLane(...APART.slice(0, 2)),
    'run-name-shared',
    'lanes.weekly.runName',
    'runName: "daily',
  ],
  [
    'the same output folder for two lanes',
    addSecondLane(...APART, ['outputRoot: "out/{run}"', 'outputRoot: "out/{date}"']).replace(
      'outputRoot: "out/{run}"',
      'outputRoot: "out/{date}"',
    ),
    'output-shared',
    'lanes.weekly.outputRoot',
    'outputRoot: "out',
  ],
];

const next = (from: string): string =>
  `  - { id: watch-2,  role: watch, public: "BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ=", from: "${from}", until: "2029-01-01T00:00:00Z" }\nclusters:`;

const WARNINGS: readonly Row[] = [
  [
    'no metrics',
    replaceInConfig('[{ key: eval/loss, better: lower, tolerancePercent: "2" }]', '[]'),
    'no-metrics',
    'lanes.daily.metrics',
    'metrics: []',
  ],
  [
    'a cost budget below the cost of a run',
    addToLane("costBudget: { maxAcceleratorHours: '2' }"),
    'cost-over-budget',
    'lanes.daily.costBudget.maxAcceleratorHours',
    'maxAcc',
  ],
  [
    'a file of the scope that is not shipped',
    replaceInConfig('scope: [experiments/daily.py]', 'scope: [experiments/daily.py, lib/a.py]'),
    'not-shipped',
    'lanes.daily.scope.1',
    'lib/a.py',
  ],
  [
    'a checklist item that ferrybot ticks itself',
    addToLane('checklist: { preconditions: [monitoring loop started] }'),
    'outcome-as-precondition',
    'lanes.daily.checklist.preconditions.0',
    'monitoring',
  ],
  [
    'a key that ends soon',
    replaceInConfig('until: "2027-03-01T00:00:00Z"', 'until: "2026-06-10T00:00:00Z"'),
    'key-ends-soon',
    'keys.2.until',
    'until: "2026-06',
  ],
  [
    'a period without a key',
    replaceInConfig('clusters:', next('2027-03-02T00:00:00Z')),
    'key-gap',
    'keys.3.from',
    'from: "2027-03-02',
  ],
];

describe('the small config', () => {
  it('breaks no rule', () => {
    expect(readLabConfig(SMALL, NOW)).toMatchObject({ kind: 'valid', warnings: [] });
  });
});

describe('a config is refused for', () => {
  it.each(ERRORS)('%s', (_, text, code, path, where) => {
    const reading = readLabConfig(text, NOW);
    const problems = reading.kind === 'invalid' ? reading.problems : [];
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      { severity: 'error', code, path, ...positionOf(text, where), message: expect.any(String) },
    ]);
  });
});

describe('a config of two lanes is refused for', () => {
  it.each(BETWEEN_LANES)('%s', (_, text, code, path, where) => {
    const reading = readLabConfig(text, NOW);
    const problems = reading.kind === 'invalid' ? reading.problems : [];
    const above = text.slice(0, text.indexOf('  weekly:'));
    const { line, column } = positionOf(text.slice(above.length), where);
    const place = { line: above.split('\n').length - 1 + line, column };
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      { severity: 'error', code, path, ...place, message: expect.any(String) },
    ]);
  });

  it('no overlap, if the lanes are separate', () => {
    expect(readLabConfig(addSecondLane(...APART), NOW)).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('an error in each lane, and a problem of the whole file once', () => {
    const text = addSecondLane(...APART, ['cluster: local', 'cluster: far'])
      .replace('cluster: local', 'cluster: gone')
      .replace('version: 1', 'version: 1\notherBots: [/retest, /retest]');
    const reading = readLabConfig(text, NOW);
    expect(reading.kind === 'invalid' && reading.problems.map(({ code, path }) => [code, path])).toEqual([
      ['doubled', 'otherBots.1'],
      ['cluster-unknown', 'lanes.daily.cluster'],
      ['cluster-unknown', 'lanes.weekly.cluster'],
    ]);
  });
});

describe('a config gets a warning for', () => {
  it.each(WARNINGS)('%s', (_, text, code, path, where) => {
    expect(readLabConfig(text, NOW)).toMatchObject({
      kind: 'valid',
      warnings: [{ severity: 'warning', code, path, ...positionOf(text, where) }],
    });
  });
});

describe('no rule', () => {
  it('rejects keys that follow each other without a gap, or separate clusters and people', () => {
    expect(readLabConfig(replaceInConfig('clusters:', next('2027-03-01T00:00:00Z')), NOW)).toMatchObject({
      warnings: [],
    });
    expect(
      readLabConfig(
        top(
          "approvals: { users: [7, 8], quorumByCost: [{ fromAcceleratorHours: '9', people: 2 }, { fromAcceleratorHours: '10', people: 2 }] }",
        ),
        NOW,
      ),
    ).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('requires metrics for a lane of adopted jobs, which has no runs to compare with', () => {
    const people = SMALL.replace(/\n$/, '').concat(
      '\n',
      ADOPTED_LANE.replace('cluster: us-central1', 'cluster: local'),
    );
    expect(readLabConfig(people, NOW)).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('checks the keys of a config in force, because it would expire by itself', () => {
    expect(readLabConfig(SMALL)).toMatchObject({ kind: 'valid', warnings: [] });
    expect(readLabConfig(SMALL, at('2031-01-01T00:00:00Z'))).toMatchObject({ kind: 'invalid' });
  });

  it('repeats a secret in its message', () => {
    const secret = `hf_${'Zq9'.repeat(10)}`;
    const text = replaceInConfig('"{outputRoot}"]', `"${secret}"]`);
    expect(JSON.stringify(readLabConfig(text))).not.toContain(secret);
  });
});
