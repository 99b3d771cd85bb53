/** TPU VMs of a cloud project: what a listing tells of each, and the one thing that may be done to one. */

import type { Permit } from '../actions/capability.ts';
import { isSameAddress } from '../ip-address.ts';
import type { MutationStep, VmIdentity } from './mutation.ts';

/** One TPU VM (Cloud TPU API v2, Node). A slice of several hosts is one VM with several addresses. */
export type TpuVm = {
  readonly name: string;
  readonly zone: string;
  /** In the API's words: READY, CREATING, DELETING, PREEMPTED … */
  readonly state: string;
  readonly createdAt: string;
  readonly acceleratorType: string;
  /** The label by which Ray's autoscaler knows its own nodes; empty where there is none. */
  readonly rayCluster: string;
  /** What the autoscaler's label says that the machine is: `head`, `worker`; empty where there is none. */
  readonly rayNodeType: string;
  /** In the order of the worker's index: every address of that worker, inside and outside. */
  readonly workers: readonly (readonly string[])[];
};

/** Unknown where any zone could not be read: a machine that is not in half a list is not gone. */
export type VmListing =
  | { readonly kind: 'listed'; readonly vms: readonly TpuVm[] }
  | { readonly kind: 'unknown'; readonly message: string };

/** `unknown`: sent, and nobody can say what came of it; look. `failed`: the cloud said no. */
export type DeleteOutcome =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** The machines of one cluster. No method throws for an expected outcome. */
export type TpuCloud = {
  readonly list: () => Promise<VmListing>;
  /** Spends the capability with the very call; throws `CapabilityError` where it is not for that. */
  readonly deleteVm: (vm: VmIdentity, permit: Permit) => Promise<DeleteOutcome>;
};

/** The call that deletes one VM (policy ML-30). */
export function deleteStep(project: string, { name, zone }: Pick<VmIdentity, 'name' | 'zone'>): MutationStep {
  return {
    does: 'delete-tpu-vm',
    command: [
      ...['gcloud', 'compute', 'tpus', 'tpu-vm', 'delete', name],
      ...['--project', project, '--zone', zone, '--quiet'],
    ],
  };
}

/** The one VM of that name, or null: none, several, or a list that nobody could read. */
export function vmNamed(listing: VmListing, name: string): TpuVm | null {
  if (listing.kind === 'unknown') return null;
  const named = listing.vms.filter((vm) => vm.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** Whether a VM that is listed is the one that was seen before, and not its replacement. */
export function isSameVm(vm: TpuVm, seen: VmIdentity): boolean {
  return (
    vm.name === seen.name &&
    vm.zone === seen.zone &&
    vm.createdAt === seen.createdAt &&
    vm.workers.some((addresses) => addresses.some((one) => isSameAddress(one, seen.address)))
  );
}
