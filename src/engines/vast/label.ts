/** How the machines of a cluster are called, which is how they are known. */

import type { VastCluster } from './schema.ts';

/** The label of a job's instance: our fleet and the id under which the job runs once. */
export function labelOf({ fleet }: Pick<VastCluster, 'fleet'>, jobId: string): string {
  return `ferrybot:${fleet}:${jobId}`;
}
