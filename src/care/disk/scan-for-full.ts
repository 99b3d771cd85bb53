/** A job that says that a disk is full leads to a scan of its cluster's workers, whatever the schedule of the scans (policy AG-30). */

import type { ClusterDisks, RecordedScan } from '../../domain/care/disk-scan.ts';
import type { Instant } from '../../domain/ids.ts';
import { incidentsWith } from '../../domain/incidents.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';

/** A job that said longer ago that a disk is full starts no scan any more: the daily schedule has looked since. */
const FULL_DISK_NEWS_MS = 24 * 60 * 60 * 1_000;

const DISK_IS_FULL = /No space left on device|\[Errno 28\]|\bENOSPC\b/;

/** A run whose job said that a disk is full, when it did, and on which cluster. */
export type FullDisk = { readonly run: RunState; readonly cluster: string; readonly since: Instant };

/** The runs whose job said so within the last day; older news is left to the schedule of the scans. */
export function fullDisks(runs: readonly RunState[], now: Instant): readonly FullDisk[] {
  return runs.flatMap((run) => {
    const cluster = run.submission?.cluster;
    const since = fullSince(run);
    return cluster === undefined || since === null || now - since > FULL_DISK_NEWS_MS
      ? []
      : [{ run, cluster, since }];
  });
}

/** The first thing that people can read about the disks since then: null until a scan has said anything. */
export function scanSince(
  { cluster, since }: FullDisk,
  disks: ReadonlyMap<string, ClusterDisks>,
): RecordedScan | null {
  const readable = disks.get(cluster)?.readable ?? null;
  return readable !== null && (fromRfc3339(readable.at) ?? 0) >= since ? readable : null;
}

/** When the newest attempt first said that a disk is full: by its log while it ran, or by what it and the engine said at its end. */
function fullSince({ submission, incidents, end }: RunState): Instant | null {
  const line = incidentsWith(incidents, 'failure-signature').find(
    ({ detail }) => detail.signature === 'disk-full' && (detail.attempt ?? 1) === submission?.attempt,
  );
  const words = end === null ? [] : [end.message, ...(end.diagnosis?.evidence ?? [])];
  const isEnd = end?.status === 'FAILED' && words.some((text) => DISK_IS_FULL.test(text));
  // rule AG-30
  const at = line?.at ?? (isEnd ? end.at : null);
  return at === null ? null : fromRfc3339(at);
}
