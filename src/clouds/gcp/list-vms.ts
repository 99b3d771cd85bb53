/** Lists the TPU VMs of a project's zones: `gcloud compute tpus tpu-vm list --format=json` (Cloud TPU API v2, Node). */

import { z } from 'zod';
import type { TpuVm, VmListing } from '../../domain/care/tpu-vm.ts';
import { jsonIn } from '../../domain/json.ts';
import { failureOf, type GcloudOptions, readWithGcloud } from './gcloud.ts';

/** gcloud needs some seconds to start. */
const CLOUD_READ_TIMEOUT_MS = 2 * 60 * 1_000;
/** Per zone; the largest labs have some hundreds. */
const CLOUD_VMS_MAX = 2_000;

const endpoint = z.object({
  ipAddress: z.string().optional(),
  accessConfig: z.object({ externalIp: z.string().optional() }).optional(),
});

const node = z.object({
  // projects/P/locations/ZONE/nodes/NAME; commands use the name, so it is validated.
  name: z.string().regex(/^projects\/[^/]+\/locations\/[a-z0-9-]+\/nodes\/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/),
  state: z.string(),
  createTime: z.iso.datetime({ offset: true }),
  acceleratorType: z.string().default(''),
  labels: z.record(z.string(), z.string()).default({}),
  networkEndpoints: z.array(endpoint).default([]),
});

/** Lists all VMs. One invalid entry makes the list unknown, because it may be the wanted VM. */
export async function listVms(
  gcloud: GcloudOptions,
  place: { readonly project: string; readonly zones: readonly string[] },
): Promise<VmListing> {
  const vms: TpuVm[] = [];
  for (const zone of place.zones) {
    const args = ['--project', place.project, '--zone', zone, '--format=json'];
    const result = await readWithGcloud(
      gcloud,
      ['compute', 'tpus', 'tpu-vm', 'list', ...args],
      CLOUD_READ_TIMEOUT_MS,
    );
    if (!result.ok) return { kind: 'unknown', message: `${zone}: ${failureOf(result)}` };
    const read = readListing(result.stdout);
    if (read.kind === 'unknown') return { kind: 'unknown', message: `${zone}: ${read.message}` };
    vms.push(...read.vms);
  }
  return { kind: 'listed', vms };
}

/** Parses one list; unknown if the JSON does not fit. */
export function readListing(text: string): VmListing {
  const json = jsonIn(text);
  if (json === undefined) return { kind: 'unknown', message: 'no JSON' };
  const parsed = z.array(node).max(CLOUD_VMS_MAX).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { kind: 'unknown', message: `another shape at ${issue?.path.join('.')}: ${issue?.message}` };
  }
  return { kind: 'listed', vms: parsed.data.map(vmOf) };
}

function vmOf(one: z.infer<typeof node>): TpuVm {
  const parts = one.name.split('/');
  return {
    name: parts[5] ?? '',
    zone: parts[3] ?? '',
    state: one.state,
    createdAt: one.createTime,
    acceleratorType: one.acceleratorType,
    rayCluster: one.labels['ray-cluster-name'] ?? '',
    rayNodeType: one.labels['ray-node-type'] ?? '',
    workers: one.networkEndpoints.map(({ ipAddress, accessConfig }) =>
      [ipAddress ?? '', accessConfig?.externalIp ?? ''].filter((address) => address !== ''),
    ),
  };
}
