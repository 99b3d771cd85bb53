/** TPU VMs of a cloud project: the listing and the deletion. */

import type { ChangeStep, VmIdentity } from '../actions/action.ts';
import type { Permit } from '../actions/capability.ts';

const GROUPS = 8;

/** IPv4 unchanged; IPv6 in lower case, fully expanded, without leading zeros. Null for other text and for zoned addresses. */
export function canonicalAddress(text: string): string | null {
  if (!text.includes(':')) return isV4(text) ? text : null;
  const address = `http://[${text}]`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(address)) return null;
  const [head = [], tail = []] = new URL(address).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => side.split(':').filter(Boolean));
  return [...head, ...Array<string>(GROUPS - head.length - tail.length).fill('0'), ...tail].join(':');
}

/** Compares canonical forms. */
export function isSameAddress(a: string, b: string): boolean {
  return (canonicalAddress(a) ?? a) === (canonicalAddress(b) ?? b);
}

/** `URL` alone also accepts fewer parts, octal and hexadecimal numbers. */
function isV4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

/** A TPU VM (Cloud TPU API v2, Node). A slice with several hosts is one VM with several addresses. */
export type TpuVm = {
  readonly name: string;
  readonly zone: string;
  /** As in the API: READY, CREATING, DELETING, PREEMPTED … */
  readonly state: string;
  readonly createdAt: string;
  readonly acceleratorType: string;
  /** The cluster label that Ray's autoscaler sets; empty if missing. */
  readonly rayCluster: string;
  /** The node type label of the autoscaler (`head`, `worker`); empty if missing. */
  readonly rayNodeType: string;
  /** All internal and external addresses per worker, by worker index. */
  readonly workers: readonly (readonly string[])[];
};

/** `unknown` if any zone could not be read: a machine missing from a partial list may still exist. */
export type VmListing =
  | { readonly kind: 'listed'; readonly vms: readonly TpuVm[] }
  | { readonly kind: 'unknown'; readonly message: string };

/** `unknown`: the request was sent and its result is not known; list again. `failed`: the cloud rejected it. */
export type DeleteOutcome =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** The machines of one cluster. No method throws for an expected outcome. */
export type TpuCloud = {
  readonly list: () => Promise<VmListing>;
  /** Spends the capability; throws `CapabilityError` if the capability does not permit this call. */
  readonly deleteVm: (vm: VmIdentity, permit: Permit) => Promise<DeleteOutcome>;
};

/** The call that deletes one VM (policy ML-30). */
export function deleteStep(project: string, { name, zone }: Pick<VmIdentity, 'name' | 'zone'>): ChangeStep {
  return {
    does: 'delete-tpu-vm',
    command: [
      ...['gcloud', 'compute', 'tpus', 'tpu-vm', 'delete', name],
      ...['--project', project, '--zone', zone, '--quiet'],
    ],
  };
}

/** The only VM with that name; null if there is none, if several match, or if the list is unknown. */
export function vmNamed(listing: VmListing, name: string): TpuVm | null {
  if (listing.kind === 'unknown') return null;
  const named = listing.vms.filter((vm) => vm.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** Whether the listed VM is the observed machine and not its replacement. */
export function isSameVm(vm: TpuVm, seen: VmIdentity): boolean {
  return (
    vm.name === seen.name &&
    vm.zone === seen.zone &&
    vm.createdAt === seen.createdAt &&
    vm.workers.some((addresses) => addresses.some((one) => isSameAddress(one, seen.address)))
  );
}
