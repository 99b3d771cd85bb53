/** What is the matter with one worker's disk: fine, low for a cause that was seen, or unknown with the reason. */

import type { DiskUsage, FolderSize, Mount, MountPoint, TpuName } from '../../domain/care/worker-disk.ts';
import { limits } from '../../domain/limits.ts';
import type { Observed } from '../../domain/observed.ts';

import { percentFree as percentFreeOf } from './disk-usage.ts';
import { sizeOf } from './folder-sizes.ts';
import { mountAt, mountOver, mountsBelow } from './mounts.ts';

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
export type LowCause =
  | { readonly code: 'mount-missing'; readonly misplacedBytes: number; readonly percentFreeAfter: number }
  | { readonly code: 'mount-missing-empty' }
  | { readonly code: 'mount-there'; readonly type: string }
  | { readonly code: 'mount-below'; readonly at: string }
  | { readonly code: 'other-disk'; readonly at: string };

export type UnknownCause = 'disk-unread' | 'mounts-unread' | 'folders-unread';

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
