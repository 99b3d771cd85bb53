/** The engine `iris`: jobs of an Iris cluster, over the RPC of its controller. */

import { type ConfigIssue, type KeyPath, warning } from '../../settings/problem.ts';
import { inArguments, reservedName, writtenSecret } from '../../settings/secret-words.ts';
import type { EngineDefinition } from '../definition.ts';
import { type IrisCluster, irisSchema } from './schema.ts';

export const irisEngine: EngineDefinition<typeof irisSchema> = {
  schema: irisSchema,
  configIssues,
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: launcherOf(cluster),
    secretVariables: cluster.tokenFrom === null ? [] : [cluster.tokenFrom],
    warnings:
      cluster.tokenFrom === null
        ? [
            'no key is sent to its controller: without authentication whoever reaches it is its administrator, may stop every job and may read every variable of a job',
          ]
        : [],
    machines: null,
  }),
  load: () => import('./engine.ts'),
};

function configIssues(at: KeyPath, cluster: IrisCluster): readonly ConfigIssue[] {
  const { tokenFrom, controller, setupCommands, maxRetriesPreemption, maxRetriesFailure, markers } = cluster;
  return [
    ...(tokenFrom === null ? [] : reservedName([...at, 'tokenFrom'], tokenFrom)),
    ...writtenSecret([...at, 'controller'], controller),
    ...inArguments([...at, 'setupCommands'], setupCommands),
    ...(maxRetriesPreemption + maxRetriesFailure > 0 && markers === null
      ? [
          warning(
            'bad-value',
            [...at, 'markers'],
            'without it nothing on the workers keeps two restarts of one job from running beside each other',
          ),
        ]
      : []),
  ];
}

/** All that decides where and as what a job runs, and how often Iris may start it; not where the controller is. */
function launcherOf(cluster: IrisCluster): string {
  const { user, cpuMillicores, memoryMb, diskMb, device, regions, preemptible } = cluster;
  const { setupCommands, secretFiles, markers, timeoutSeconds } = cluster;
  const { maxRetriesPreemption, maxRetriesFailure } = cluster;
  return JSON.stringify({
    ...{ user, cpuMillicores, memoryMb, diskMb, device, regions, preemptible },
    ...{ setupCommands, secretFiles, markers, timeoutSeconds, maxRetriesPreemption, maxRetriesFailure },
  });
}
