/** Where a job that somebody else has launched may be taken over: a lane of a kind that does so, on a cluster that allows it. */

import { type LabConfig, type LaneScopedConfig, lanesOf } from './lane-scope.ts';

/** The lanes that take over jobs, in the order of the config. */
export function adoptingLanes(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOf(config).filter(
    ({ kind, lane }) => kind.adopts !== undefined && mayAdoptOn(config, lane.cluster),
  );
}

/** Whether the config says so of the cluster. */
export function mayAdoptOn({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster) && clusters[cluster]?.adoption === true;
}
