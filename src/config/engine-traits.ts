/** What the config says of a cluster: whether it is there, what follows from its engine, and the links to a job on it. */

import type { MachineFit, MachineNeeds } from '../domain/launch/machine-needs.ts';
import { WHOLE_TREE } from '../domain/launch/whole-tree.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { EngineTraits } from '../engines/definition.ts';
import { type ClusterConfig, engineDefinition } from '../engines/registry.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

/** What a lane that ships the whole tree does not ship all the same; nothing where it names its folders. */
export function leftOutOfLane(
  config: Pick<LabConfig, 'clusters'> & { readonly lane: Pick<LaneConfig, 'ships' | 'cluster'> },
): readonly string[] {
  const { lane } = config;
  return lane.ships.includes(WHOLE_TREE) ? (traitsOf(config, lane.cluster)?.leavesOut ?? []) : [];
}

/** The clusters for a run that asks for such a machine of this one. */
export function fitted<Config extends Pick<LabConfig, 'clusters'>>(
  config: Config,
  name: string,
  needs: MachineNeeds,
): { readonly clusters: LabConfig['clusters']; readonly machine: MachineFit } {
  const { clusters } = config;
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  const fit = cluster === undefined ? undefined : engineDefinition(cluster).fit?.(cluster, needs);
  if (fit === undefined) return { clusters, machine: { terms: null, beyond: [] } };
  const all = { ...clusters, [name]: fit.cluster as ClusterConfig };
  const terms = traitsOf({ clusters: all }, name)?.rental ?? null;
  return { clusters: all, machine: { terms, beyond: fit.beyond } };
}

/** Null where the config has no such cluster. */
export function traitsOf({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): EngineTraits | null {
  const found = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  return found === undefined ? null : engineDefinition(found).traits(found);
}

/** The cluster of the run's job that is not in the config; null where it is there, or no job is under way. */
export function missingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): string | null {
  return watchedClusters(state).find((cluster) => !hasCluster(config, cluster)) ?? null;
}

/** Whether the config says where this cluster is. */
export function hasCluster({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster);
}

/** By name, filled in. */
export function linksOf(
  { clusters }: Pick<LabConfig, 'clusters'>,
  { cluster, run, jobId }: { readonly cluster: string; readonly run: string; readonly jobId: string },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(clusters[cluster]?.links ?? {}).map(([name, link]) => [
      name,
      link.replaceAll('{jobId}', jobId).replaceAll('{run}', run),
    ]),
  );
}
