/** The engine `slurm`: jobs of a Slurm cluster, through its own commands. */

import { error } from '../../settings/problem.ts';
import type { EngineDefinition } from '../definition.ts';
import { type SlurmCluster, slurmSchema } from './schema.ts';

export const slurmEngine: EngineDefinition<typeof slurmSchema> = {
  schema: slurmSchema,
  configIssues: (at, { modules, containerImage }) =>
    modules !== null && containerImage !== null
      ? [
          error(
            'bad-value',
            [...at, 'modules'],
            'modules of the nodes are not in a container: choose one of both',
          ),
        ]
      : [],
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: launcherOf(cluster),
    ...(cluster.containerImage === null ? {} : { image: imageOf(cluster.containerImage) }),
    secretVariables: [],
    machines: null,
    warnings: [
      'jobs run on other machines as the account that submits them, and may read and write what it may on every file system that they share with the runner: keep its home, keys and state off those (docs/threat-model.md)',
    ],
  }),
  load: () => import('./engine.ts'),
};

/** Pyxis writes `user@registry#name`; who pulls it makes no other image of it. */
function imageOf(written: string): string {
  const [before = '', ...rest] = written.split('#');
  if (rest.length === 0) return written;
  const registry = before.replace(/^docker:\/\//, '').replace(/^[^@]*@/, '');
  return [registry, ...rest].join('/');
}

/** All that decides where and as what a job runs; not where the commands and the folder are. */
function launcherOf(cluster: SlurmCluster): string {
  const { partition, account, qos, reservation, timeLimit, gres, constraint } = cluster;
  const { nodes, cpusPerTask, memoryMb, modules, containerImage, mayRequeue } = cluster;
  return JSON.stringify({
    ...{ partition, account, qos, reservation, timeLimit, gres, constraint },
    ...{ nodes, cpusPerTask, memoryMb, modules, containerImage, mayRequeue },
  });
}
