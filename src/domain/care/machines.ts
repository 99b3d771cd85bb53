/** Rented machines as reported by the provider's account. */

import * as z from 'zod';
import { type ActionStep, type ChangeStep, type VmIdentity, vmIdentity } from '../actions/action.ts';
import type { Permit } from '../actions/capability.ts';
import type { RentalOffer } from '../logbook/events/rental-events.ts';
import { integer, type Parsed, scalars, text } from '../logbook/parts.ts';

/** Instance status; null: still provisioned. */
export const MACHINE_STATUSES = [
  'created',
  'loading',
  'running',
  'stopped',
  'frozen',
  'exited',
  'rebooting',
  'unknown',
  'offline',
] as const;
export type MachineStatus = (typeof MACHINE_STATUSES)[number] | null;

export type RentedInstance = {
  readonly id: number;
  /** From the label; null: not ferrybot's. */
  readonly jobId: string | null;
  readonly status: MachineStatus;
  /** The engine's name of the host machine, if known. */
  readonly machine?: string;
  readonly createdAtMs: number;
  /** Dollars per hour while `running` or `frozen`, including disk. */
  readonly hourly: number;
  /** Dollars per hour in any state. */
  readonly storageHourly: number;
  /** Traffic cost so far, in dollars. */
  readonly traffic: number;
};

/** All instances of the account; an incomplete list is `unknown`. `credit` null: unknown. */
export type AccountRead =
  | { readonly kind: 'read'; readonly instances: readonly RentedInstance[]; readonly credit: number | null }
  | { readonly kind: 'unknown'; readonly message: string };

export type Condemnation = { readonly id: number; readonly jobId: string };

/** `offer` null: no offer fits. */
export type OfferRead =
  | { readonly kind: 'read'; readonly offer: RentalOffer | null }
  | { readonly kind: 'unknown'; readonly message: string };

/** `unknown`: also if a second listing still shows the instance after a confirmation. */
export type DestroyOutcome = { readonly kind: 'destroyed' } | { readonly kind: 'unknown'; readonly message: string };

/** No method throws for an expected outcome. */
export type RentalAccount = {
  /** Every instance, page by page. */
  read(): Promise<AccountRead>;
  /** The offer that a submit would choose now. Rents nothing. */
  offer(): Promise<OfferRead>;
  /** Spends the capability, destroys the instance only if the account lists it under this job's label, and lists again until it is gone. */
  destroy(condemned: Condemnation, permit: Permit): Promise<DestroyOutcome>;
};

/** The step that destroys one instance of this job. */
export function destroyStep({ id, jobId }: Condemnation): ActionStep {
  return { kind: 'destroy-machine', command: [jobId, String(id)] };
}

const GROUPS = 8;

/** IPv4 unchanged; IPv6 in lower case, fully expanded, without leading zeros. Null for other text and for zoned addresses. */
export function normalizeAddress(text: string): string | null {
  if (!text.includes(':')) return isIpv4(text) ? text : null;
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
  return (normalizeAddress(a) ?? a) === (normalizeAddress(b) ?? b);
}

/** Strict check, because `URL` also accepts fewer parts and octal and hexadecimal numbers. */
function isIpv4(text: string): boolean {
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
    kind: 'delete-tpu-vm',
    command: [
      ...['gcloud', 'compute', 'tpus', 'tpu-vm', 'delete', name],
      ...['--project', project, '--zone', zone, '--quiet'],
    ],
  };
}

/** The only VM with that name; null if there is none, if several match, or if the list is unknown. */
export function findVm(listing: VmListing, name: string): TpuVm | null {
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

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Google Cloud's name of a TPU VM. It cannot start with a dash, so no program parses it as an option. */
export type TpuName = Brand<string, 'TpuName'>;
export type Zone = Brand<string, 'Zone'>;
/** Where a bucket is mounted: at least two levels deep, outside system folders, and without characters that a shell interprets. */
export type MountPoint = Brand<string, 'MountPoint'>;

/** `worker` is the host's index within the VM. */
export type TpuWorker = { readonly tpu: TpuName; readonly zone: Zone; readonly worker: number };

/** As reported by `df`. Neither number includes root's reserve. */
export type DiskUsage = { readonly usedBytes: number; readonly availableBytes: number };

/** `type` as in the mount table: `ext4`, `fuse.gcsfuse`. */
export type Mount = { readonly at: string; readonly type: string };

/** Total size below the folder on the same file system. */
export type FolderSize = { readonly path: string; readonly bytes: number };

const TPU_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ZONE = /^[a-z]{2,20}-[a-z]{2,20}\d{1,2}-[a-z]$/;
const MOUNT_POINT = /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){2,8}$/;
/** Deleting files in these folders would break the machine. */
const SYSTEM_FOLDER = /^\/(?:bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|snap|sys|usr)\//;
/** Direct subfolders of these folders are home directories or part of the system. */
const SHARED_FOLDER = /^\/(?:home|var)\/[^/]+$/;

export const isTpuName = (text: string): text is TpuName => TPU_NAME.test(text);
export const isZone = (text: string): text is Zone => ZONE.test(text);
export const isMountPoint = (text: string): text is MountPoint =>
  MOUNT_POINT.test(text) && !SYSTEM_FOLDER.test(text) && !SHARED_FOLDER.test(text);

/** Unreadable scans in a row before a notification: a restarting tunnel or head node can cause one. */
const UNREAD_SCANS_BEFORE_REPORT = 2;

/**
 * Cause of one low disk. `mount-missing`: data fills the boot disk at the bucket's mount point. `mount-missing-empty`, `mount-there`,
 * `mount-below`, `other-disk`: low for another reason. `unread` and the others: the cause is not known.
 */
export const DISK_FINDINGS = [
  'mount-missing',
  'mount-missing-empty',
  'mount-there',
  'mount-below',
  'other-disk',
  'unread',
  'vm-unknown',
  'not-inspected',
] as const;
export type DiskFinding = (typeof DISK_FINDINGS)[number];

/**
 * A host at or below the threshold (`low`) or the level before it (`warning`). `vm`: null if the cloud did not list the machine; then no
 * change can be proposed for it. `percentFree` of the boot disk: 0 to 100, one decimal. `folders`: the largest outside the mount point.
 */
const scannedWorker = z.object({
  tpu: text,
  worker: integer,
  vm: vmIdentity.nullable(),
  percentFree: text,
  level: z.enum(['low', 'warning']),
  finding: z.enum(DISK_FINDINGS),
  detail: scalars,
  folders: z.array(z.object({ path: text, bytes: integer })),
});
export type ScannedWorker = Parsed<typeof scannedWorker>;

/**
 * `whole`: every worker was read. `partial`: some were not, so an absent worker may still be low. `unreadable`: no information. `why` is
 * empty for `whole`. `cleanup`: the head node's cleanup job; `not-seen`: the query succeeded and did not find it.
 */
export const diskScan = z.object({
  cluster: text,
  reading: z.enum(['whole', 'partial', 'unreadable']),
  why: text,
  mountPoint: text,
  thresholdPercent: integer,
  warnPercent: integer,
  workers: z.array(scannedWorker),
  cleanup: z.enum(['alive', 'not-seen', 'unknown', 'not-asked']),
});
export type DiskScan = Parsed<typeof diskScan>;
export type CleanupState = DiskScan['cleanup'];

export type RecordedScan = DiskScan & { readonly at: string; readonly seq: number };

/** One cluster's scans: the newest, the newest readable one, and the first with the same situation as that one. */
export type ClusterDisks = {
  readonly newest: RecordedScan;
  readonly readable: RecordedScan | null;
  readonly since: RecordedScan | null;
  /** Number of unreadable scans in a row, up to the newest. */
  readonly unread: number;
};

/** Adds a scan to its cluster. */
export function addScan(
  clusters: ReadonlyMap<string, ClusterDisks>,
  newest: RecordedScan,
): ReadonlyMap<string, ClusterDisks> {
  const before = clusters.get(newest.cluster) ?? null;
  const readable = newest.reading === 'unreadable' ? (before?.readable ?? null) : newest;
  const isSame =
    readable === null || (before?.readable != null && scanFingerprint(before.readable) === scanFingerprint(readable));
  const since = isSame ? (before?.since ?? null) : readable;
  const unread = newest.reading === 'unreadable' ? (before?.unread ?? 0) + 1 : 0;
  return new Map([...clusters, [newest.cluster, { newest, readable, since, unread }]]);
}

/** Whether the disks have been unreadable long enough to notify people. */
export function isScanBlind({ unread }: ClusterDisks): boolean {
  return unread >= UNREAD_SCANS_BEFORE_REPORT;
}

/** The situation as one comparable text: which workers are low and why, without exact percentages. */
export function scanFingerprint({ workers, cleanup }: DiskScan): string {
  const each = workers.map(({ tpu, worker, level, finding }) => `${tpu}/${worker} ${level} ${finding}`);
  return [...each.toSorted(), cleanup].join('\n');
}

/** Only a whole scan can show that every disk has room. */
export function isAllFine({ reading, workers }: DiskScan): boolean {
  return reading === 'whole' && workers.length === 0;
}
