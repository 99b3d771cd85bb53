/** What a scan of a cluster's worker disks found, as it is recorded, and how the newest scans of each cluster stand. */

import type { VmIdentity } from './mutation.ts';

/** Scans in a row that say nothing before people are told: a tunnel or a head that restarts explains one. */
const UNREAD_SCANS_TOLD = 2;

/**
 * What is the matter with one disk. `mount-missing`: data stands on the boot disk where the bucket belongs;
 * `mount-missing-empty`, `mount-there`, `mount-below`, `other-disk`: low, and not for that; the others: nobody could see.
 */
export const DISK_FINDINGS = [
  'mount-missing',
  'mount-missing-empty',
  'mount-there',
  'mount-below',
  'other-disk',
  'disk-unread',
  'mounts-unread',
  'folders-unread',
  'vm-unknown',
  'not-inspected',
] as const;
export type DiskFinding = (typeof DISK_FINDINGS)[number];

/** One host whose disk is short: `low` at or below the threshold, `warning` at or below the level before it. */
export type ScannedWorker = {
  readonly tpu: string;
  readonly worker: number;
  /** The machine as the cloud listed it; null where it did not, and then nothing can be proposed for it. */
  readonly vm: VmIdentity | null;
  /** Free share of the boot disk, 0 to 100, with one digit. */
  readonly percentFree: string;
  readonly level: 'low' | 'warning';
  readonly finding: DiskFinding;
  readonly detail: { readonly [name: string]: string | number };
  /** The largest folders beside the mount point, in bytes. */
  readonly folders: readonly { readonly path: string; readonly bytes: number }[];
};

/** How the cleanup job of the head node was found: `not-seen`: the look answered, and otherwise than it does when all is well. */
export const CLEANUP_STATES = ['alive', 'not-seen', 'unknown', 'not-asked'] as const;
export type CleanupState = (typeof CLEANUP_STATES)[number];

/**
 * `whole`: every worker was looked at; `partial`: some could not be, so that nobody is fine for not being named;
 * `unreadable`: it says nothing, and changes nothing. `why` is empty where it is whole.
 */
export const SCAN_READINGS = ['whole', 'partial', 'unreadable'] as const;
export type DiskScan = {
  readonly cluster: string;
  readonly reading: (typeof SCAN_READINGS)[number];
  readonly why: string;
  readonly mountPoint: string;
  readonly thresholdPercent: number;
  readonly warnPercent: number;
  readonly workers: readonly ScannedWorker[];
  readonly cleanup: CleanupState;
};

export type RecordedScan = DiskScan & { readonly at: string; readonly seq: number };

/** One cluster's scans: the newest, the newest that says something, and the first that said the same as that one. */
export type ClusterDisks = {
  readonly newest: RecordedScan;
  readonly readable: RecordedScan | null;
  readonly since: RecordedScan | null;
  /** How many scans in a row, up to the newest, said nothing. */
  readonly unread: number;
};

/** Each cluster's scans after one more. */
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

/** Whether nobody has seen the disks for so long that people have to know: one scan may fail by chance. */
export function isBlind({ unread }: ClusterDisks): boolean {
  return unread >= UNREAD_SCANS_TOLD;
}

/** What people have to know of a scan, as one text to compare: who is short, for which cause; not by how much. */
export function situationOf({ workers, cleanup }: DiskScan): string {
  const each = workers.map(({ tpu, worker, level, finding }) => `${tpu}/${worker} ${level} ${finding}`);
  return [...each.toSorted(), cleanup].join('\n');
}

/** Whether a scan shows that every disk of the cluster has room: only a whole one does. */
export function isAllFine({ reading, workers }: DiskScan): boolean {
  return reading === 'whole' && workers.length === 0;
}
