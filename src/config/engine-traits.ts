/** What follows from the engine of a cluster; the only way from a config to an engine. */

import type { EngineTraits } from '../engines/definition.ts';
import { engineDefinition } from '../engines/registry.ts';
import type { LabConfig } from './schema.ts';

/** Null where the config has no such cluster. */
export function traitsOf({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): EngineTraits | null {
  const found = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  return found === undefined ? null : engineDefinition(found).traits(found);
}
