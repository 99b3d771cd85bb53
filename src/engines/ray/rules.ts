/** Rules for clusters of the engine `ray`: it can be reached, the templates of its scripts name what they have to, and no secret of ours goes there. */

import { templateIssues } from '../../settings/argument-template.ts';
import { diskIssues } from '../../settings/disk-rules.ts';
import { type ConfigIssue, error, type KeyPath, warning } from '../../settings/problem.ts';
import { reservedName, writtenSecret } from '../../settings/secret-words.ts';
import type { RayCluster } from './schema.ts';

type Rule = (at: KeyPath, cluster: RayCluster) => readonly ConfigIssue[];

const clusterCanBeReached: Rule = (at, { dashboard, scripts, tunnel }) => [
  ...(dashboard === null && scripts === null
    ? [error('cluster-unreachable', at, 'has neither a dashboard nor scripts: nothing can be submitted')]
    : []),
  ...(dashboard === null && tunnel !== null
    ? [
        error(
          'tunnel-to-nowhere',
          [...at, 'tunnel'],
          'leads to no dashboard: set the address at its near end',
        ),
      ]
    : []),
  ...(dashboard === null && scripts !== null && tunnel === null
    ? [
        warning(
          'scripts-alone',
          at,
          'without a dashboard *no answer* and *no such job* look alike: most looks will be unknown, and each costs a call of a script, 8 to 20 s through `uv run --project`',
        ),
      ]
    : []),
];

/** Each template with the placeholders that it may have, and those that it has to have. */
const TEMPLATES = [
  { key: 'python', may: ['cluster', 'clusterFile', 'checkout'], must: [] },
  { key: 'pythonWithoutUv', may: ['cluster', 'clusterFile', 'checkout'], must: [] },
  {
    key: 'submit',
    may: ['clusterFile', 'checkout', 'python', 'submissionId', 'environment', 'command'],
    must: ['submissionId', 'environment', 'command'],
  },
  { key: 'environment', may: ['name', 'value'], must: ['name', 'value'] },
  { key: 'list', may: ['cluster', 'clusterFile', 'checkout', 'python'], must: [] },
  {
    key: 'logs',
    may: ['cluster', 'clusterFile', 'checkout', 'python', 'jobId', 'lines'],
    must: ['jobId', 'lines'],
  },
  { key: 'stop', may: ['cluster', 'clusterFile', 'checkout', 'python', 'jobId'], must: ['jobId'] },
] as const;

const templatesAreComplete: Rule = (at, { scripts, tunnel }) => [
  ...TEMPLATES.flatMap(({ key, may, must }) => {
    const template = scripts?.[key] ?? null;
    return template === null ? [] : templateIssues([...at, 'scripts', key], template, may, must);
  }),
  ...(tunnel === null ? [] : templateIssues([...at, 'tunnel', 'command'], tunnel.command, ['cluster'], [])),
];

const nothingOfOursIsPassed: Rule = (at, cluster) => [
  ...(cluster.tokenFrom === null ? [] : reservedName([...at, 'tokenFrom'], cluster.tokenFrom)),
  ...cluster.passVariables.flatMap((name, index) => reservedName([...at, 'passVariables', index], name)),
  ...Object.entries(cluster.homeFiles).flatMap(([file, name]) =>
    reservedName([...at, 'homeFiles', file], name),
  ),
];

const noSecretIsWritten: Rule = (at, { dashboard, scripts, tunnel }) => [
  ...(dashboard === null ? [] : writtenSecret([...at, 'dashboard'], dashboard)),
  ...(tunnel?.command ?? []).flatMap((text, index) =>
    writtenSecret([...at, 'tunnel', 'command', index], text),
  ),
  ...TEMPLATES.flatMap(({ key }) =>
    (scripts?.[key] ?? []).flatMap((text, index) => writtenSecret([...at, 'scripts', key, index], text)),
  ),
];

/** The script is started in the shipped files, where a relative program would be one of the change's, beside the token. */
const programsAreNotTheChanges: Rule = (at, { scripts }) =>
  (['python', 'pythonWithoutUv', 'submit'] as const).flatMap((key) => {
    const program = scripts?.[key]?.[0] ?? '';
    return !program.includes('/') || /^(?:\/|\{checkout\}\/)/.test(program)
      ? []
      : [
          error(
            'program-of-the-change',
            [...at, 'scripts', key, 0],
            'is looked for in the files of the change: name it from / or from {checkout}/',
          ),
        ];
  });

/** The launcher's checkout holds what `checkout` names; a file beside it would be missing at each launch. */
const clusterFileIsCheckedOut: Rule = (at, { scripts }) => {
  if (scripts === null || scripts.checkout === null) return [];
  const { checkout, clusterFile, submit } = scripts;
  const isThere = checkout.some((path) => clusterFile === path || clusterFile.startsWith(`${path}/`));
  return isThere || !submit.some((part) => part.includes('{clusterFile}'))
    ? []
    : [
        error(
          'cluster-file-missing',
          [...at, 'scripts', 'clusterFile'],
          'is not among the files of the default branch that `checkout` names',
        ),
      ];
};

/** Everything that the schema cannot say of one Ray cluster. */
export function rayIssues(at: KeyPath, cluster: RayCluster): readonly ConfigIssue[] {
  return RULES.flatMap((rule) => rule(at, cluster));
}

const RULES: readonly Rule[] = [
  clusterCanBeReached,
  templatesAreComplete,
  programsAreNotTheChanges,
  clusterFileIsCheckedOut,
  nothingOfOursIsPassed,
  noSecretIsWritten,
  (at, { disk, gcp }) => diskIssues([...at, 'disk'], disk, gcp !== null),
];
