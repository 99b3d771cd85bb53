/** How one worker stands before and after a clean-up: its disk, its mount, and what lies beside a missing one. */

import type { MountPoint } from '../../domain/care/worker-disk.ts';
import { limits } from '../../domain/limits.ts';
import { percentFree } from './disk-usage.ts';
import { sizeOf } from './folder-sizes.ts';
import { mountAt } from './mounts.ts';
import type { Looks } from './scan-record.ts';

/**
 * `misplaced`: nothing is mounted, and data lies there. `fine`: mounted, with more than the threshold free. `short`: the
 * rest. `percentFree` has one digit, because events hold no floats.
 */
export type WorkerHealth =
  | { readonly kind: 'unknown'; readonly why: string }
  | {
      readonly kind: 'misplaced' | 'fine' | 'short';
      readonly percentFree: string;
      readonly isMounted: boolean;
      readonly misplacedBytes: number;
    };

/** Judges one look; whatever of it could not be read makes it unknown. */
export function healthOf(
  { disk, mounts, folders }: Looks,
  policy: { readonly mountPoint: MountPoint; readonly thresholdPercent: number },
): WorkerHealth {
  if (disk.kind === 'unknown') return disk;
  if (mounts.kind === 'unknown') return mounts;
  const free = percentFree(disk.value);
  const isMounted = mountAt(mounts.value, policy.mountPoint) !== null;
  if (!isMounted && folders.kind === 'unknown') return folders;
  const misplacedBytes =
    isMounted || folders.kind === 'unknown' ? 0 : sizeOf(folders.value, policy.mountPoint);
  const told = { percentFree: free.toFixed(1), isMounted, misplacedBytes };
  if (misplacedBytes >= limits.misplacedBytesMin) return { kind: 'misplaced', ...told };
  return { kind: isMounted && free > policy.thresholdPercent ? 'fine' : 'short', ...told };
}
