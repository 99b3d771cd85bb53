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
  !Object.hasOwn(config.clusters, config.lanes.daily.cluster)
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
  const lane = config.lanes.daily;
  return [
    ...oddPlaceholders(['runName'], lane.runName, ['date']),
    ...oddPlaceholders(['outputRoot'], lane.outputRoot, ['date', 'runName', 'run']),
    ...oddPlaceholders(['metricsFile'], lane.metricsFile, PLACEHOLDERS),
    ...lane.command.flatMap((text, index) => oddPlaceholders(['command', index], text, PLACEHOLDERS)),
    ...Object.entries(lane.environment).flatMap(([name, text]) =>
      oddPlaceholders(['environment', name], text, PLACEHOLDERS),
    ),
  ];
};

/** Each template is filled from those before it alone, so each has placeholders of its own. */
function oddPlaceholders(
  path: readonly (string | number)[],
  text: string,
  known: readonly string[],
): readonly BrokenRule[] {
  return [...text.matchAll(/\{(\w*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !known.includes(name))
    .map((name) =>
      error(['lanes', 'daily', ...path], `{${name}} is not filled in; known: ${known.join(', ')}`),
    );
}

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

/** What may stand in braces in a command, an environment value or the metrics file. */
const PLACEHOLDERS: readonly string[] = ['date', 'runName', 'run', 'outputRoot'];

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
