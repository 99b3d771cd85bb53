/** Rules for clusters of the `ray` engine: it can be reached, the templates of its scripts name what they have to, and no secret of ours goes there. */

import { isBuildFile } from '../../run/build-files.ts';
import type { RayClusterConfig } from '../cluster-schema.ts';
import type { KeyPath, Misfit } from '../config-problem.ts';
import { templateMisfits } from './argument-template.ts';
import { error, inLane, type Rule, warning } from './rule.ts';
import { reservedName, writtenSecret } from './secret-words.ts';

type Placed = { readonly at: KeyPath; readonly cluster: RayClusterConfig };

/** A rule that reads each Ray cluster by itself. */
function ofEachRayCluster(misfitsOf: (placed: Placed) => readonly Misfit[]): Rule {
  return {
    reads: ['clusters'],
    misfits: ({ clusters }) =>
      Object.entries(clusters).flatMap(([name, cluster]) =>
        cluster.engine === 'ray' ? misfitsOf({ at: ['clusters', name], cluster }) : [],
      ),
  };
}

const clusterCanBeReached = ofEachRayCluster(({ at, cluster: { dashboard, scripts, tunnel } }) => [
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
          'without a dashboard *no answer* and *no such job* look alike: most looks will be unknown',
        ),
      ]
    : []),
]);

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

const templatesAreComplete = ofEachRayCluster(({ at, cluster: { scripts, tunnel } }) => [
  ...TEMPLATES.flatMap(({ key, may, must }) => {
    const template = scripts?.[key] ?? null;
    return template === null ? [] : templateMisfits([...at, 'scripts', key], template, may, must);
  }),
  ...(tunnel === null ? [] : templateMisfits([...at, 'tunnel', 'command'], tunnel.command, ['cluster'], [])),
]);

const nothingOfOursIsPassed = ofEachRayCluster(({ at, cluster }) => [
  ...(cluster.tokenFrom === null ? [] : reservedName([...at, 'tokenFrom'], cluster.tokenFrom)),
  ...cluster.passVariables.flatMap((name, index) => reservedName([...at, 'passVariables', index], name)),
  ...Object.entries(cluster.homeFiles).flatMap(([file, name]) =>
    reservedName([...at, 'homeFiles', file], name),
  ),
]);

const noSecretIsWritten = ofEachRayCluster(({ at, cluster: { dashboard, scripts, tunnel } }) => [
  ...(dashboard === null ? [] : writtenSecret([...at, 'dashboard'], dashboard)),
  ...(tunnel?.command ?? []).flatMap((text, index) =>
    writtenSecret([...at, 'tunnel', 'command', index], text),
  ),
  ...TEMPLATES.flatMap(({ key }) =>
    (scripts?.[key] ?? []).flatMap((text, index) => writtenSecret([...at, 'scripts', key, index], text)),
  ),
]);

/** The launcher's checkout holds what `checkout` names; a file beside it would be missing at each launch. */
const clusterFileIsCheckedOut = ofEachRayCluster(({ at, cluster: { scripts } }) => {
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
});

/** A file that is run while the job is submitted, beside the credentials of the cluster. */
const scopeSparesTheBuild: Rule = {
  reads: ['clusters', 'lane.scope', 'lane.cluster'],
  misfits: ({ clusters, lane }) => {
    const cluster = clusters[lane.cluster];
    if (cluster?.engine !== 'ray' || cluster.scripts === null) return [];
    return lane.scope.flatMap((path, index) =>
      isBuildFile(path)
        ? [
            error(
              'scope-builds',
              inLane('scope', index),
              'a script that submits may build what it ships beside the credentials of the cluster: no ferry that changes it is launched',
            ),
          ]
        : [],
    );
  },
};

export const RAY_RULES: readonly Rule[] = [
  clusterCanBeReached,
  templatesAreComplete,
  clusterFileIsCheckedOut,
  scopeSparesTheBuild,
  nothingOfOursIsPassed,
  noSecretIsWritten,
];
