/** TPU workers, their disks and mounts, and which names may appear in a command (policy AG-16 to AG-19). */

import * as z from 'zod';
import { vmIdentity } from '../actions/action.ts';
import { integer, type Parsed, scalars, text } from '../logbook/parts.ts';

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
/** Clearing these would break the machine. */
const SYSTEM_FOLDER = /^\/(?:bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|snap|sys|usr)\//;
/** The first level below these is a home directory or part of the system. */
const SHARED_FOLDER = /^\/(?:home|var)\/[^/]+$/;

export const isTpuName = (text: string): text is TpuName => TPU_NAME.test(text);
export const isZone = (text: string): text is Zone => ZONE.test(text);
export const isMountPoint = (text: string): text is MountPoint =>
  MOUNT_POINT.test(text) && !SYSTEM_FOLDER.test(text) && !SHARED_FOLDER.test(text);

/** Unreadable scans in a row before a notification: one can be a restarting tunnel or head node. */
const UNREAD_SCANS_TOLD = 2;

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
export function scansAfter(
  clusters: ReadonlyMap<string, ClusterDisks>,
  newest: RecordedScan,
): ReadonlyMap<string, ClusterDisks> {
  const before = clusters.get(newest.cluster) ?? null;
  const readable = newest.reading === 'unreadable' ? (before?.readable ?? null) : newest;
  const isSame =
    readable === null || (before?.readable != null && situationOf(before.readable) === situationOf(readable));
  const since = isSame ? (before?.since ?? null) : readable;
  const unread = newest.reading === 'unreadable' ? (before?.unread ?? 0) + 1 : 0;
  return new Map([...clusters, [newest.cluster, { newest, readable, since, unread }]]);
}

/** Whether the disks have been unreadable long enough to notify people. */
export function isBlind({ unread }: ClusterDisks): boolean {
  return unread >= UNREAD_SCANS_TOLD;
}

/** The situation as one comparable text: which workers are low and why, without exact percentages. */
export function situationOf({ workers, cleanup }: DiskScan): string {
  const each = workers.map(({ tpu, worker, level, finding }) => `${tpu}/${worker} ${level} ${finding}`);
  return [...each.toSorted(), cleanup].join('\n');
}

/** Only a whole scan can show that every disk has room. */
export function isAllFine({ reading, workers }: DiskScan): boolean {
  return reading === 'whole' && workers.length === 0;
}
