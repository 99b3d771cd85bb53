/** What follows from the engine of a cluster; the only way from a config to an engine. */

import { WHOLE_TREE } from '../domain/launch/whole-tree.ts';
import type { EngineTraits } from '../engines/definition.ts';
import { engineDefinition } from '../engines/registry.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

/** What a lane that ships the whole tree does not ship all the same; nothing where it names its folders. */
export function leftOutOfLane(
  config: Pick<LabConfig, 'clusters'> & { readonly lane: Pick<LaneConfig, 'ships' | 'cluster'> },
): readonly string[] {
  const { lane } = config;
  return lane.ships.includes(WHOLE_TREE) ? (traitsOf(config, lane.cluster)?.leavesOut ?? []) : [];
}

/** Null where the config has no such cluster. */
export function traitsOf({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): EngineTraits | null {
  const found = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  return found === undefined ? null : engineDefinition(found).traits(found);
}
