/** Disk care of a cluster on this machine: the scripts are those of the default branch, in a checkout of their own. */

import { join } from 'node:path';
import type { GcloudOptions } from '../../clouds/gcp/gcloud.ts';
import { launcherCheckout } from '../launcher-checkout.ts';
import type { OpenLab } from '../open-lab.ts';
import { createDiskPort, type DiskPlace, type DiskPort } from './disk-port.ts';

/** Disk care of a cluster; throws `GitError` where the checkout cannot be had. */
export type DisksOf = (open: OpenLab, place: DiskPlace) => Promise<DiskPort>;

/** `temporaryDirectory` is what the runner empties after each job. */
export function disksWith(parts: {
  readonly gcloud: GcloudOptions;
  readonly defaultBranch: string;
  readonly temporaryDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): DisksOf {
  return async ({ git }, place) => {
    const folder = join(parts.temporaryDirectory, 'ferrybot-scripts');
    const tree = await launcherCheckout(git, parts.defaultBranch, [], folder);
    return createDiskPort(place, { gcloud: parts.gcloud, tree, environment: parts.environment });
  };
}
