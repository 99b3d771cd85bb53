/** What follows from the engine of a cluster; the only way from a config to an engine. */

import type { MachineFit, MachineNeeds } from '../domain/launch/machine-needs.ts';
import { WHOLE_TREE } from '../domain/launch/whole-tree.ts';
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
