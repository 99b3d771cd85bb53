/** What the schema cannot say: one small rule each, over the normalised config. */

import type { LabConfig } from './schema.ts';

export type BrokenRule = {
  readonly severity: 'error' | 'warning';
  readonly path: readonly (string | number)[];
  readonly message: string;
};
type Rule = (config: LabConfig) => readonly BrokenRule[];

/** Every rule that the config breaks. */
export function brokenRules(config: LabConfig): readonly BrokenRule[] {
  return RULES.flatMap((rule) => rule(config));
}

const clusterExists: Rule = (config) =>
  config.clusters[config.lanes.daily.cluster] === undefined
    ? [
        error(
          ['lanes', 'daily', 'cluster'],
          `names no cluster: ${Object.keys(config.clusters).join(', ') || 'none is configured'}`,
        ),
      ]
    : [];

const everyRoleHasAKey: Rule = (config) =>
  (['control', 'runner', 'watch'] as const)
    .filter((role) => !config.keys.some((key) => key.role === role))
    .map((role) => error(['keys'], `no key of role ${role}: what ${role} writes could not be verified`));

const keyIdsAreUnique: Rule = (config) =>
  config.keys.flatMap((key, index) =>
    config.keys.findIndex((other) => other.id === key.id) === index
      ? []
      : [error(['keys', index, 'id'], `the id ${key.id} is used twice`)],
  );

const publicKeysAreUnique: Rule = (config) =>
  config.keys.flatMap((key, index) =>
    config.keys.findIndex((other) => other.public === key.public) === index
      ? []
      : [
          error(
            ['keys', index, 'public'],
            'the same key under two roles or ids: a role is only worth its own key',
          ),
        ],
  );

const keysLast: Rule = (config) =>
  config.keys.flatMap((key, index) =>
    key.from < key.until ? [] : [error(['keys', index, 'until'], '`until` is not after `from`')],
  );

const scopeHoldsTheExperiment: Rule = (config) =>
  config.lanes.daily.scope.includes(config.lanes.daily.experiment)
    ? []
    : [error(['lanes', 'daily', 'scope'], `does not hold the experiment ${config.lanes.daily.experiment}`)];

const shipsHoldTheExperiment: Rule = (config) => {
  const { ships, experiment } = config.lanes.daily;
  return ships.some((path) => experiment === path || experiment.startsWith(`${path}/`))
    ? []
    : [error(['lanes', 'daily', 'ships'], `the job would not get ${experiment}`)];
};

const runNameIsDated: Rule = (config) =>
  config.lanes.daily.runName.includes('{date}')
    ? []
    : [
        error(
          ['lanes', 'daily', 'runName'],
          'a ferry is named by its date: put {date} into it (policy/daily-ferry.md)',
        ),
      ];

const candidateIdsAreUnique: Rule = (config) =>
  config.lanes.daily.candidates.flatMap((candidate, index, all) =>
    all.findIndex((other) => other.id === candidate.id) === index
      ? []
      : [error(['lanes', 'daily', 'candidates', index, 'id'], `the id ${candidate.id} is used twice`)],
  );

const secretsAreNotWritten: Rule = (config) =>
  Object.entries(config.lanes.daily.environment)
    .filter(([name]) => /(TOKEN|SECRET|PASSWORD|API_KEY)$/.test(name))
    .map(([name]) =>
      error(
        ['lanes', 'daily', 'environment', name],
        'looks like a secret: name it under passSecrets instead',
      ),
    );

const knownPlaceholders: Rule = (config) => {
  const texts = [
    ...config.lanes.daily.command,
    ...Object.values(config.lanes.daily.environment),
    config.lanes.daily.outputRoot,
  ];
  const odd = texts
    .flatMap((text) => [...text.matchAll(/\{(\w*)\}/g)].map((m) => m[1] ?? ''))
    .filter((n) => !PLACEHOLDERS.includes(n));
  return odd.map((n) =>
    error(['lanes', 'daily', 'command'], `{${n}} is not filled in; known: ${PLACEHOLDERS.join(', ')}`),
  );
};

const noMetricsNoVerdict: Rule = (config) =>
  config.lanes.daily.metrics.length > 0
    ? []
    : [
        {
          severity: 'warning',
          path: ['lanes', 'daily', 'metrics'],
          message: 'without key metrics a regression passes unseen',
        },
      ];

/** What may stand in braces in a command, an environment value or the output root. */
export const PLACEHOLDERS: readonly string[] = ['date', 'runName', 'run', 'outputRoot'];

const RULES: readonly Rule[] = [
  clusterExists,
  everyRoleHasAKey,
  keyIdsAreUnique,
  publicKeysAreUnique,
  keysLast,
  scopeHoldsTheExperiment,
  shipsHoldTheExperiment,
  runNameIsDated,
  candidateIdsAreUnique,
  secretsAreNotWritten,
  knownPlaceholders,
  noMetricsNoVerdict,
];

function error(path: readonly (string | number)[], message: string): BrokenRule {
  return { severity: 'error', path, message };
}
