/** A job says that a disk is full: its cluster's workers are scanned at once, and its thread hears what was found. */

import { type FullDisk, fullDisks, mayScan, scanSince } from '../../care/disk/scan-for-full.ts';
import type { RecordedScan } from '../../domain/care/disk-scan.ts';
import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { listWorkflowRuns } from '../../github/workflows.ts';
import { diskAnswerMarker, renderDiskAnswer } from '../../render/disk-answer.ts';
import { anyLane } from '../../run/lane-scope.ts';
import { diskPlaceOf } from '../disk-scan/disk-port.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import { findDiskIssue } from './disk-issues.ts';
import { say } from './outbox.ts';
import { perform } from './perform.ts';

/** When this process last looked after a scan of each cluster, and the answers that it knows to stand. */
export type FullDiskCache = { readonly asked: Map<string, Instant>; readonly told: Set<string> };

/** Costs a request only while a job of the last day said so and its thread has no answer yet. */
export async function followFullDisks(
  open: OpenLab,
  memory: FullDiskCache,
  troubles: Trouble[],
): Promise<void> {
  const { runs, journal } = open.store.current();
  for (const full of fullDisks(runs, open.lab.now())) {
    if (diskPlaceOf(open.config, full.cluster) === null) continue;
    const scan = scanSince(full, journal.disks);
    await contained(open, troubles, inCluster(full.cluster), () =>
      scan === null ? askForScan(open, full, memory) : tell(open, full, scan, memory),
    );
  }
}

async function askForScan(open: OpenLab, { cluster, since }: FullDisk, memory: FullDiskCache): Promise<void> {
  const { lab, config } = open;
  const now = lab.now();
  if (now - (memory.asked.get(cluster) ?? 0) < limits.dispatchVisibleMs) return;
  memory.asked.set(cluster, now);
  const workflow = config.workflows.diskScan;
  const scans = await listWorkflowRuns(lab.client, workflow);
  if (scans.kind === 'unknown') lab.log(`the scans of ${cluster}: ${scans.why}`);
  else if (mayScan(cluster, since, scans.value, now))
    await perform(open, {
      kind: 'dispatch-workflow',
      workflow,
      ref: anyLane(config).lane.targetBranch,
      inputs: { cluster },
    });
}

async function tell(
  open: OpenLab,
  full: FullDisk,
  scan: RecordedScan,
  { told }: FullDiskCache,
): Promise<void> {
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
