/** The engine `ray`: jobs of a Ray cluster, over its Jobs API or the lab's own scripts. */

import type { EngineDefinition } from '../definition.ts';
import { rayIssues } from './rules.ts';
import { type RayCluster, raySchema } from './schema.ts';

export const rayEngine: EngineDefinition<typeof raySchema> = {
  schema: raySchema,
  configIssues: rayIssues,
  traits: (cluster) => ({
    jobsRunHere: false,
    // A script may resolve and build what it ships (`uv export`); over the Jobs API nothing is built before the job.
    buildsChange: cluster.scripts !== null,
    leavesOut: cluster.scripts?.leavesOut ?? [],
    launcher: launcherOf(cluster),
    secretVariables: [
      ...(cluster.tokenFrom === null ? [] : [cluster.tokenFrom]),
      ...Object.values(cluster.homeFiles),
    ],
    machines: { gcp: cluster.gcp, badNodes: cluster.badNodes, disk: cluster.disk },
  }),
  load: () => import('./compose.ts'),
};

function launcherOf({ scripts }: RayCluster): string {
  if (scripts === null) return 'rest';
  const { python, submit, environment, clusterFile } = scripts;
  return JSON.stringify({ python, submit, environment, clusterFile });
}
