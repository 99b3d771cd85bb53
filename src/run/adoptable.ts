/** Where jobs can be adopted. */

import { type LabConfig, type LaneScopedConfig, lanesOf } from './lane-scope.ts';

/** Lanes that adopt jobs on a cluster that allows it, in config order. */
export function adoptingLanes(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOf(config).filter(
    ({ kind, lane }) => kind.adopts !== undefined && mayAdoptOn(config, lane.cluster),
  );
}

/** Whether the config allows adoption on the cluster. */
export function mayAdoptOn({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster) && clusters[cluster]?.adoption === true;
}
