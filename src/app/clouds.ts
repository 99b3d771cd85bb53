/** The machines behind each cluster, as the config of this process's runner says. */

import { type GcloudOptions, gcloudEnvironment } from '../clouds/gcp/gcloud.ts';
import { createTpuCloud } from '../clouds/gcp/tpu-cloud.ts';
import { traitsOf } from '../config/engine-traits.ts';
import type { TpuCloud } from '../domain/care/tpu-vm.ts';
import { runProgram } from '../host/process.ts';
import type { LabConfig } from '../run/lane-scope.ts';

/** The gcloud of this machine, with its own credentials alone. */
export function gcloudOf(environment: Readonly<Record<string, string | undefined>>): GcloudOptions {
  return { program: 'gcloud', env: gcloudEnvironment(environment), run: runProgram };
}

/** The TPU VMs of a cluster; null where the config does not say where they are. */
export function cloudFor(config: LabConfig, cluster: string, gcloud: GcloudOptions): TpuCloud | null {
  const place = traitsOf(config, cluster)?.machines?.gcp ?? null;
  return place === null ? null : createTpuCloud(gcloud, place);
}
