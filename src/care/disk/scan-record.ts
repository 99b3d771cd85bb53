/** What a scan and the looks at its workers come to, as it is recorded: workers that are short, each with what was seen. */

import type { VmIdentity } from '../../domain/actions/action.ts';
import { assertNever } from '../../domain/assert.ts';
import type { CleanupState, DiskScan, ScannedWorker } from '../../domain/care/disk-scan.ts';
import { type TpuVm, type VmListing, vmNamed } from '../../domain/care/tpu-vm.ts';
import type { DiskUsage, FolderSize, Mount, MountPoint, TpuName } from '../../domain/care/worker-disk.ts';
import { limits } from '../../domain/limits.ts';
import type { Observed } from '../../domain/observed.ts';
import { cutText } from '../../domain/text.ts';
import { percentFree as percentFreeOf } from './disk-usage.ts';
import { sizeOf } from './folder-sizes.ts';
import { mountAt, mountOver, mountsBelow } from './mounts.ts';
import type { LowWorker, ScanReport } from './scan-report.ts';

/** The largest folders of a worker that are recorded and shown. */
const SHOWN_FOLDERS_MAX = 5;

/** What was seen over ssh; null: it was not looked at. */
export type Looks = Pick<WorkerEvidence, 'disk' | 'mounts' | 'folders'>;

export type ScanFacts = {
  readonly cluster: string;
  readonly report: ScanReport;
  readonly listing: VmListing;
  readonly looks: ReadonlyMap<LowWorker, Looks>;
  readonly cleanup: CleanupState;
  readonly policy: {
    readonly mountPoint: MountPoint;
    readonly thresholdPercent: number;
    readonly warnPercent: number;
  };
};

/** The record of one scan. A worker that has room again by the time that it is looked at is left out. */
export function scanRecord(facts: ScanFacts): DiskScan {
  const { cluster, report, cleanup, policy } = facts;
  const common = { cluster, cleanup, ...policy };
  if (report.kind === 'unreadable')
    return { ...common, reading: 'unreadable', why: `${report.code}: ${bounded(report.line)}`, workers: [] };
  const [first] = report.problems;
  return {
    ...common,
    reading: first === undefined ? 'whole' : 'partial',
    why: first === undefined ? '' : `${first.code}: ${bounded(first.line)}`,
    workers: report.low.flatMap((worker) => workerOf(worker, facts)),
  };
}

function workerOf(low: LowWorker, { listing, looks, policy }: ScanFacts): readonly ScannedWorker[] {
  const vm = vmNamed(listing, low.tpu);
  const seen = looks.get(low);
  const base = { tpu: low.tpu, worker: low.worker, vm: vm === null ? null : identityOf(vm, low.worker) };
  const levelOf = (percentFree: number): ScannedWorker['level'] =>
    percentFree <= policy.thresholdPercent ? 'low' : 'warning';
  if (seen === undefined) {
    const { percentFree } = low;
    const finding = vm === null ? 'vm-unknown' : 'not-inspected';
    const detail = { available: low.available };
    return [
      { ...base, percentFree: shown(percentFree), level: levelOf(percentFree), finding, detail, folders: [] },
    ];
  }
  const judged = judgeWorker(
    { tpu: low.tpu, worker: low.worker, scannedPercentFree: low.percentFree, ...seen },
    { mountPoint: policy.mountPoint, thresholdPercent: policy.warnPercent },
  );
  if (judged.kind === 'fine') return [];
  const percentFree = shown(judged.percentFree);
  return [{ ...base, percentFree, level: levelOf(judged.percentFree), ...findingOf(judged) }];
}

/** The machine by which a proposal is bound: a replacement of the same name was made at another time. */
function identityOf({ name, zone, createdAt, workers }: TpuVm, worker: number): VmIdentity | null {
  const address = workers[worker]?.[0];
  return address === undefined ? null : { name, zone, createdAt, address };
}

function findingOf(
  judged: Exclude<WorkerJudgement, { kind: 'fine' }>,
): Pick<ScannedWorker, 'finding' | 'detail' | 'folders'> {
  if (judged.kind === 'unknown')
    return { finding: judged.code, detail: { why: bounded(judged.why) }, folders: [] };
  const folders = judged.folders.slice(0, SHOWN_FOLDERS_MAX);
  const { cause } = judged;
  switch (cause.code) {
    case 'mount-missing': {
      const { misplacedBytes, percentFreeAfter } = cause;
      return {
        finding: cause.code,
        detail: { misplacedBytes, percentFreeAfter: shown(percentFreeAfter) },
        folders,
      };
    }
    case 'mount-missing-empty':
      return { finding: cause.code, detail: {}, folders };
    case 'mount-there':
      return { finding: cause.code, detail: { type: cause.type }, folders };
    case 'mount-below':
    case 'other-disk':
      return { finding: cause.code, detail: { at: cause.at }, folders };
    default:
      return assertNever(cause);
  }
}

/** Events hold no floats. */
function shown(percent: number): string {
  return percent.toFixed(1);
}

function bounded(text: string): string {
  return cutText(text.trim(), limits.messageCharactersMax);
}

// What is the matter with one worker's disk: fine, low for a cause that was seen, or unknown with the reason.

/** What was seen on one worker: by the scan, and over ssh. */
export type WorkerEvidence = {
  readonly tpu: TpuName;
  readonly worker: number;
  /** As the scan printed it. */
  readonly scannedPercentFree: number;
  readonly disk: Observed<DiskUsage>;
  readonly mounts: Observed<readonly Mount[]>;
  readonly folders: Observed<readonly FolderSize[]>;
};

/**
 * Why a disk is low. `mount-missing`: nothing is mounted where the bucket belongs, and data stands there on the boot disk
 * (`misplacedBytes`). The others are no reason to delete anything there.
 */
type LowCause =
  | { readonly code: 'mount-missing'; readonly misplacedBytes: number; readonly percentFreeAfter: number }
  | { readonly code: 'mount-missing-empty' }
  | { readonly code: 'mount-there'; readonly type: string }
  | { readonly code: 'mount-below'; readonly at: string }
  | { readonly code: 'other-disk'; readonly at: string };

type UnknownCause = 'disk-unread' | 'mounts-unread' | 'folders-unread';

/** `folders`: the largest that were seen. Percentages are of the boot disk, 0 to 100. */
export type WorkerJudgement =
  | { readonly kind: 'fine'; readonly percentFree: number }
  | {
      readonly kind: 'low';
      readonly percentFree: number;
      readonly cause: LowCause;
      readonly folders: readonly FolderSize[];
    }
  | {
      readonly kind: 'unknown';
      readonly percentFree: number;
      readonly code: UnknownCause;
      readonly why: string;
    };

/**
 * Judges a worker that the scan found low (policy AG-16 and AG-17). Whatever could not
 * be read makes the cause unknown, and nothing is proposed on an unknown.
 */
export function judgeWorker(
  evidence: WorkerEvidence,
  policy: { readonly mountPoint: MountPoint; readonly thresholdPercent: number },
): WorkerJudgement {
  const { disk, mounts, folders, scannedPercentFree } = evidence;
  const { mountPoint, thresholdPercent } = policy;
  if (disk.kind === 'unknown') return unread(scannedPercentFree, 'disk-unread', disk.why);
  const percentFree = percentFreeOf(disk.value);
  if (percentFree > thresholdPercent) return { kind: 'fine', percentFree };
  // rule AG-17
  if (mounts.kind === 'unknown') return unread(percentFree, 'mounts-unread', mounts.why);
  const seen = folders.kind === 'known' ? folders.value : [];
  const low = (cause: LowCause): WorkerJudgement => ({ kind: 'low', percentFree, cause, folders: seen });
  const there = mountAt(mounts.value, mountPoint);
  if (there !== null) return low({ code: 'mount-there', type: there.type });
  const over = mountOver(mounts.value, mountPoint);
  if (over !== null && over.at !== '/') return low({ code: 'other-disk', at: over.at });
  const below = mountsBelow(mounts.value, mountPoint)[0];
  if (below !== undefined) return low({ code: 'mount-below', at: below.at });
  if (folders.kind === 'unknown') return unread(percentFree, 'folders-unread', folders.why);
  const misplacedBytes = sizeOf(folders.value, mountPoint);
  if (misplacedBytes < limits.misplacedBytesMin) return low({ code: 'mount-missing-empty' });
  const { usedBytes, availableBytes } = disk.value;
  const after = {
    usedBytes: Math.max(0, usedBytes - misplacedBytes),
    availableBytes: availableBytes + misplacedBytes,
  };
  return low({ code: 'mount-missing', misplacedBytes, percentFreeAfter: percentFreeOf(after) });
}

function unread(percentFree: number, code: UnknownCause, why: string): WorkerJudgement {
  return { kind: 'unknown', percentFree, code, why };
}
