/** The record of one disk scan: the workers that are short of space, each with what the inspection over ssh found. */

import type { VmIdentity } from '../../domain/actions/action.ts';
import {
  type CleanupState,
  type ClusterDisks,
  type DiskFinding,
  type DiskScan,
  type DiskUsage,
  type FolderSize,
  findVm,
  type Mount,
  type MountPoint,
  type RecordedScan,
  type ScannedWorker,
  type TpuVm,
  type VmListing,
} from '../../domain/care/machines.ts';
import { type Detail, filterIncidents } from '../../domain/incidents.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { cutText, fromRfc3339, type Instant, type Observed } from '../../domain/values.ts';
import type { LowWorker, ScanReport } from './scan-report.ts';
import { findMountAt, findMountContaining, percentFree as percentFreeOf } from './worker-answers.ts';

/** How many of a worker's largest folders are recorded and shown. */
const SHOWN_FOLDERS_MAX = 5;

/** The answers of one worker over ssh. */
export type Inspection = {
  readonly disk: Observed<DiskUsage>;
  readonly mounts: Observed<readonly Mount[]>;
  readonly folders: Observed<readonly FolderSize[]>;
};

export type ScanFacts = {
  readonly cluster: string;
  readonly report: ScanReport;
  readonly listing: VmListing;
  readonly inspections: ReadonlyMap<LowWorker, Inspection>;
  readonly cleanup: CleanupState;
  readonly policy: { readonly mountPoint: MountPoint; readonly thresholdPercent: number; readonly warnPercent: number };
};

/** The record of one scan. It leaves out workers that had enough space again when they were inspected. */
export function buildScanRecord(facts: ScanFacts): DiskScan {
  const { cluster, report, cleanup, policy } = facts;
  const common = { cluster, cleanup, ...policy };
  if (report.kind === 'unreadable')
    return { ...common, reading: 'unreadable', why: `${report.code}: ${cutForRecord(report.line)}`, workers: [] };
  const [first] = report.problems;
  return {
    ...common,
    reading: first === undefined ? 'whole' : 'partial',
    why: first === undefined ? '' : cutForRecord(first),
    workers: report.low.flatMap((worker) => judgeScannedWorker(worker, facts)),
  };
}

function judgeScannedWorker(low: LowWorker, { listing, inspections, policy }: ScanFacts): readonly ScannedWorker[] {
  const vm = findVm(listing, low.tpu);
  const seen = inspections.get(low);
  const { mountPoint, warnPercent, thresholdPercent } = policy;
  const judged: JudgedWorker =
    seen === undefined
      ? {
          percentFree: low.percentFree,
          finding: vm === null ? 'vm-unknown' : 'not-inspected',
          detail: { available: low.available },
        }
      : judgeWorker(seen, low.percentFree, mountPoint);
  const { percentFree, finding, detail } = judged;
  if (percentFree > warnPercent) return [];
  return [
    {
      tpu: low.tpu,
      worker: low.worker,
      vm: vm === null ? null : vmIdentityOf(vm, low.worker),
      percentFree: formatPercent(percentFree),
      level: percentFree <= thresholdPercent ? 'low' : 'warning',
      finding,
      detail,
      folders: seen?.folders.kind === 'known' ? seen.folders.value.slice(0, SHOWN_FOLDERS_MAX) : [],
    },
  ];
}

/** The machine that a proposal is bound to: a replacement with the same name has another creation time. */
function vmIdentityOf({ name, zone, createdAt, workers }: TpuVm, worker: number): VmIdentity | null {
  const address = workers[worker]?.[0];
  return address === undefined ? null : { name, zone, createdAt, address };
}

/** Formats a percentage, because events contain no floats. */
export function formatPercent(percent: number): string {
  return percent.toFixed(1);
}

function cutForRecord(text: string): string {
  return cutText(text.trim(), limits.messageCharactersMax);
}

/** Why the disk of a worker is short. `percentFree` of the boot disk: 0 to 100. */
export type JudgedWorker = Pick<ScannedWorker, 'finding' | 'detail'> & { readonly percentFree: number };

/**
 * Judges the disk of a worker (policy AG-16 and AG-17). An unreadable answer makes the cause unknown, and an unknown cause leads to no
 * proposal. `mount-missing`: nothing is mounted at the bucket's mount point, and there is data on the boot
 * disk (`misplacedBytes`). The other findings are no reason to delete anything there.
 */
export function judgeWorker(
  { disk, mounts, folders }: Inspection,
  scannedPercentFree: number,
  mountPoint: MountPoint,
): JudgedWorker {
  if (disk.kind === 'unknown') return unreadWorker(scannedPercentFree, 'disk', disk.why);
  const percentFree = percentFreeOf(disk.value);
  // rule AG-17
  if (mounts.kind === 'unknown') return unreadWorker(percentFree, 'mounts', mounts.why);
  const judged = (finding: DiskFinding, detail: Detail = {}): JudgedWorker => ({ percentFree, finding, detail });
  const there = findMountAt(mounts.value, mountPoint);
  if (there !== null) return judged('mount-there', { type: there.type });
  const over = findMountContaining(mounts.value, mountPoint);
  if (over !== null && over.at !== '/') return judged('other-disk', { at: over.at });
  const below = mounts.value.find(({ at }) => at.startsWith(`${mountPoint}/`));
  if (below !== undefined) return judged('mount-below', { at: below.at });
  if (folders.kind === 'unknown') return unreadWorker(percentFree, 'folders', folders.why);
  // A folder that is too small is not listed.
  const misplacedBytes = folders.value.find(({ path }) => path === mountPoint)?.bytes ?? 0;
  if (misplacedBytes < limits.misplacedBytesMin) return judged('mount-missing-empty');
  const { usedBytes, availableBytes } = disk.value;
  const after = { usedBytes: Math.max(0, usedBytes - misplacedBytes), availableBytes: availableBytes + misplacedBytes };
  return judged('mount-missing', { misplacedBytes, percentFreeAfter: formatPercent(percentFreeOf(after)) });
}

/** A worker whose answer could not be read. */
export function unreadWorker(percentFree: number, what: keyof Inspection, why: string): JudgedWorker {
  return { percentFree, finding: 'unread', detail: { what, why: cutForRecord(why) } };
}

/** A full-disk message older than this triggers no scan: the daily scan has run since. */
const FULL_DISK_REPORT_MS = 24 * 60 * 60 * 1_000;

const DISK_IS_FULL = /No space left on device|\[Errno 28\]|\bENOSPC\b/;

/** A run with a full-disk message from its job, the time of that message, and the cluster. */
export type FullDisk = { readonly run: RunState; readonly cluster: string; readonly since: Instant };

/** The runs with a full-disk message from the last day. The scheduled scan covers older ones. */
export function findFullDisks(runs: readonly RunState[], now: Instant): readonly FullDisk[] {
  return runs.flatMap((run) => {
    const cluster = run.submission?.cluster;
    const since = diskFullSince(run);
    return cluster === undefined || since === null || now - since > FULL_DISK_REPORT_MS
      ? []
      : [{ run, cluster, since }];
  });
}

/** The first readable scan of the cluster since the message; null until there is one. */
export function findScanSince(
  { cluster, since }: FullDisk,
  disks: ReadonlyMap<string, ClusterDisks>,
): RecordedScan | null {
  const readable = disks.get(cluster)?.readable ?? null;
  return readable !== null && (fromRfc3339(readable.at) ?? 0) >= since ? readable : null;
}

/** When the newest attempt first reported a full disk: in its log while it ran, or in the end message or diagnosis. */
function diskFullSince({ submission, incidents, end }: RunState): Instant | null {
  const line = filterIncidents(incidents, 'failure-signature').find(
    ({ detail }) => detail.signature === 'disk-full' && (detail.attempt ?? 1) === submission?.attempt,
  );
  const words = end === null ? [] : [end.message, ...(end.diagnosis?.evidence ?? [])];
  const isEnd = end?.status === 'FAILED' && words.some((text) => DISK_IS_FULL.test(text));
  // rule AG-30
  const at = line?.at ?? (isEnd ? end.at : null);
  return at === null ? null : fromRfc3339(at);
}
