/** A cluster that the config does not have any more while a job runs on it: nothing else names a host or a token for it. */

import { watchedClusters } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { LabConfig } from './schema.ts';

/** The cluster of the run's job that is not in the config; null where it is there, or no job is under way. */
export function missingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): string | null {
  return watchedClusters(state).find((cluster) => !hasCluster(config, cluster)) ?? null;
}

/** Whether the config says where this cluster is. */
export function hasCluster({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster);
}
