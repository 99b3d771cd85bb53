/** A job says that a disk is full: its cluster's workers are scanned at once, and its thread hears what was found. */

import { type FullDisk, fullDisks, scanSince } from '../../care/disk/scan-for-full.ts';
import type { RecordedScan } from '../../domain/care/disk-scan.ts';
import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { diskAnswerMarker, renderDiskAnswer } from '../../render/disk-issue.ts';
import { decideDispatch } from '../../run/dispatch.ts';
import { anyLane } from '../../run/lane-scope.ts';
import { diskPlaceOf } from '../disk-scan/disk-port.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import type { Memories } from './attempt-caches.ts';
import { findDiskIssue } from './disk-issues.ts';
import { takeJournalSteps } from './journal-steps.ts';
import { say } from './outbox.ts';

/** The answers that are known to stand. */
export type FullDiskCache = Set<string>;

/** Costs a request only while a job of the last day said so and its thread has no answer yet. */
export async function followFullDisks(
  open: OpenLab,
  memories: Memories,
  told: FullDiskCache,
  troubles: Trouble[],
): Promise<void> {
  const { runs, journal } = open.store.current();
  for (const full of fullDisks(runs, open.lab.now())) {
    if (diskPlaceOf(open.config, full.cluster) === null) continue;
    const scan = scanSince(full, journal.disks);
    await contained(open, troubles, inCluster(full.cluster), async () => {
      if (scan === null) await startScan(open, full, memories);
      else await tell(open, full, scan, told);
    });
  }
}

/** A few dispatches that end without a word in the record, and then the daily schedule has to do. */
async function startScan(open: OpenLab, { cluster, since }: FullDisk, memories: Memories): Promise<void> {
  const { config } = open;
  const wanted = {
    workflow: 'diskScan',
    subject: cluster,
    file: config.workflows.diskScan,
    ref: anyLane(config).lane.targetBranch,
    inputs: { cluster },
    since,
    triesMax: limits.dispatchesPerOrderMax,
    overdueMs: null,
  } as const;
  await takeJournalSteps(open, memories, (facts) => decideDispatch(wanted, facts));
}

async function tell(open: OpenLab, full: FullDisk, scan: RecordedScan, told: FullDiskCache): Promise<void> {
  const marker = markerIdentity(diskAnswerMarker(full));
  if (told.has(marker)) return;
  const issue = await findDiskIssue(open, full.cluster);
  if (issue.kind === 'unknown') {
    open.lab.log(`the disk issue of ${full.cluster}: ${issue.why}`);
    return;
  }
  // The issue is opened before; where GitHub did not take it, this waits for it.
  if (issue.value === null && scan.workers.length > 0) return;
  const body = renderDiskAnswer(full, scan, issue.value?.number ?? null);
  const said = await say(open, { thread: full.run.proposal.issue, marker, body });
  if (said.kind === 'stands') told.add(marker);
}
