/** Keeps one issue for each cluster with disk scans. All its content comes from the journal. */

import { diskActions, diskProposals } from '../../care/disk/disk-proposals.ts';
import { type FullDisk, fullDisks, scanSince } from '../../care/disk/scan-for-full.ts';
import { type ClusterDisks, isBlind, type RecordedScan } from '../../domain/care/disk-scan.ts';
import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import type { Observed } from '../../domain/observed.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import {
  diskAnswerMarker,
  diskIssueTitle,
  renderDiskAnswer,
  renderDiskIssue,
} from '../../render/disk-issue.ts';
import { decideDiskIssue, type ToldIssue } from '../../run/disk-issue.ts';
import { decideDispatch, laneWorkflow } from '../../run/dispatch.ts';
import { anyLane } from '../../run/lane-scope.ts';
import type { StandingIssue } from '../../run/outbox.ts';
import { type DiskPlace, diskPlaceOf, diskStepsOf } from '../disk-scan/disk-port.ts';
import type { OpenLab } from '../open-lab.ts';
import { isPosted, say, standingIssue } from '../outbox.ts';
import { inCluster } from '../trouble.ts';
import { takeJournalSteps } from './journal-steps.ts';
import { perform } from './perform.ts';
import type { Turn, Work } from './turn.ts';

/** Recent jobs that reported a full disk. A request is needed only while one has no answer. */
export function fullDiskAnswers({ open }: Turn): readonly Work[] {
  const { runs, journal } = open.store.current();
  return fullDisks(runs, open.lab.now())
    .filter(({ cluster }) => diskPlaceOf(open.config, cluster) !== null)
    .map((full) => ({
      where: inCluster(full.cluster),
      reconcile: () => {
        const scan = scanSince(full, journal.disks);
        return scan === null ? startScan(open, full) : postScanResult(open, full, scan);
      },
    }));
}

/** Tries a few times; after that, the daily schedule scans. */
async function startScan(open: OpenLab, { cluster, since }: FullDisk): Promise<void> {
  const { config } = open;
  const wanted = {
    ...laneWorkflow(anyLane(config), 'diskScan'),
    ...{ subject: cluster, inputs: { cluster }, since, triesMax: limits.dispatchesPerOrderMax },
  };
  await takeJournalSteps(open, (facts) => decideDispatch(wanted, facts));
}

async function postScanResult(open: OpenLab, full: FullDisk, scan: RecordedScan): Promise<void> {
  const owed = { thread: full.run.proposal.issue, marker: markerIdentity(diskAnswerMarker(full)) };
  if (isPosted(open, owed)) return;
  const issue = await findDiskIssue(open, full.cluster);
  if (issue.kind === 'unknown') {
    open.lab.log(`the disk issue of ${full.cluster}: ${issue.why}`);
    return;
  }
  // Wait for the cluster's issue, so that the answer can link it.
  if (issue.value === null && scan.workers.length > 0) return;
  await say(open, { ...owed, body: renderDiskAnswer(full, scan, issue.value?.number ?? null) });
}

const DISK_LABEL = 'ferrybot-disk';

/** The issue of each cluster with disk scans; it costs a request. A failed scan changes nothing until the scans are blind. */
export function diskIssues({ open }: Turn): readonly Work[] {
  const { broken, journal } = open.store.current();
  if (broken.some(({ run }) => run === JOURNAL)) return [];
  return [...journal.disks].flatMap(([cluster, disks]) => {
    const place = diskPlaceOf(open.config, cluster);
    return place !== null && (disks.readable !== null || isBlind(disks))
      ? [{ where: inCluster(cluster), reconcile: () => keepIssue(open, place, disks) }]
      : [];
  });
}

/** The issue of a cluster's disks; known null if it has none. */
async function findDiskIssue(open: OpenLab, cluster: string): Promise<Observed<StandingIssue | null>> {
  const actions = diskActions(open.store.current().journal.actions, cluster);
  // An issue with one of our proposals is ours even if its first line was edited.
  const proposedIn = actions.at(-1)?.proposal.thread ?? null;
  return standingIssue(open, DISK_LABEL, diskMarker(cluster), (number) => number === proposedIn);
}

function diskMarker(cluster: string): string {
  return markerIdentity({ run: 'journal', kind: 'disk', key: cluster });
}

/** Post comments first: the description records which state was posted, so it must change last. */
async function keepIssue(open: OpenLab, place: DiskPlace, disks: ClusterDisks): Promise<void> {
  const { lab, store } = open;
  const found = await findDiskIssue(open, place.cluster);
  if (found.kind === 'unknown') {
    lab.log(`the disk issue of ${place.cluster}: ${found.why}`);
    return;
  }
  const { readable } = disks;
  const isTrouble = readable !== null && (readable.workers.length > 0 || readable.cleanup === 'not-seen');
  const isWanted = found.value !== null || isTrouble || isBlind(disks);
  const issue = found.value ?? (isWanted ? await openDiskIssue(open, disks) : null);
  if (issue === null) return;
  if (isTrouble) await propose(open, place, disks, issue.number);
  const { actions, commands } = store.current().journal;
  const { comments, edit } = decideDiskIssue({ disks, actions, commands, issue });
  for (const one of comments) if ((await say(open, one, fromRfc3339(one.at))).kind !== 'stands') return;
  if (edit !== null) await perform(open, edit);
}

async function openDiskIssue(open: OpenLab, disks: ClusterDisks): Promise<ToldIssue | null> {
  const { cluster } = disks.newest;
  const outcome = await perform(open, {
    kind: 'open-issue',
    marker: diskMarker(cluster),
    title: diskIssueTitle(cluster),
    body: renderDiskIssue({ disks, actions: [], refusedAt: 0 }),
    labels: [DISK_LABEL],
  });
  return outcome.kind === 'done' && outcome.number !== null
    ? { number: outcome.number, body: null, isOpen: true, marker: null }
    : null;
}

/** Proposes what the newest scan needs. A lost race is retried the next time. */
async function propose(open: OpenLab, place: DiskPlace, disks: ClusterDisks, thread: number): Promise<void> {
  const { lab, store } = open;
  if (disks.readable === null) return;
  const drafts = diskProposals({
    scan: disks.readable,
    actions: store.current().journal.actions,
    repository: lab.repository,
    thread,
    steps: diskStepsOf(place),
    digestOf: lab.digestOf,
  });
  await recordAsDecided(open, [{ run: JOURNAL, drafts }]);
}
