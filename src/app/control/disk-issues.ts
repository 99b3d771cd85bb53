/** Keeps the one issue of each cluster whose disks are scanned: opened, told, proposed in, closed, all from the journal. */

import { diskMutations, diskProposals } from '../../care/disk/disk-proposals.ts';
import { type ClusterDisks, isBlind } from '../../domain/care/disk-scan.ts';
import { markerIdentity } from '../../domain/marker.ts';
import type { Observed } from '../../domain/observed.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { diskIssueTitle, renderDiskIssue } from '../../render/disk-issue.ts';
import { type DatedComment, decideDiskIssue, type ToldIssue } from '../../run/disk-issue.ts';
import type { StandingIssue } from '../../run/outbox.ts';
import { type DiskPlace, diskPlaceOf } from '../disk-scan/disk-port.ts';
import { diskStepsOf } from '../disk-scan/disk-steps.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import { descriptionChanges, readDescription } from './description-texts.ts';
import { sayAmong, standingIssue } from './outbox.ts';
import { perform } from './perform.ts';

/** Label by which the issues are found again. */
export const DISK_LABEL = 'ferrybot-disk';

/** The newest entry of the journal when the issues were last looked at. */
export type DiskCache = { entry: number };

/**
 * Brings every cluster's issue to what the journal tells: on sweeps, and when the journal has more than at the last look,
 * since it costs a request for each cluster that is scanned. What GitHub does not take now is done at the next look.
 */
export async function keepDiskIssues(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  memory: DiskCache,
  troubles: Trouble[],
): Promise<void> {
  const entry = (): number => open.store.current().journal.head?.seq ?? -1;
  if (entry() === memory.entry && !triggers.some(({ kind }) => kind === 'sweep')) return;
  await keepAll(open, troubles);
  memory.entry = entry();
}

async function keepAll(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const { broken, journal } = open.store.current();
  if (broken.some(({ run }) => run === JOURNAL)) return;
  for (const [cluster, disks] of journal.disks) {
    await contained(open, troubles, inCluster(cluster), async () => {
      const place = diskPlaceOf(open.config, cluster);
      // A scan that says nothing changes nothing until it is no chance, and a cluster that is looked after no more is left alone.
      if (place !== null && (disks.readable !== null || isBlind(disks))) await keepIssue(open, place, disks);
    });
  }
}

/** The issue of a cluster's disks; known as null where there is none. */
export async function findDiskIssue(open: OpenLab, cluster: string): Promise<Observed<StandingIssue | null>> {
  const mutations = diskMutations(open.store.current().journal.mutations, cluster);
  // Where something was proposed it is this cluster's, whatever somebody has made of its first line.
  const proposedIn = mutations.at(-1)?.proposal.thread ?? null;
  return standingIssue(open, DISK_LABEL, diskMarker(cluster), (number) => number === proposedIn);
}

function diskMarker(cluster: string): string {
  return markerIdentity({ run: 'journal', kind: 'disk', key: cluster });
}

async function keepIssue(open: OpenLab, place: DiskPlace, disks: ClusterDisks): Promise<void> {
  const { lab } = open;
  const marker = diskMarker(place.cluster);
  const found = await findDiskIssue(open, place.cluster);
  if (found.kind === 'unknown') {
    lab.log(`the disk issue of ${place.cluster}: ${found.why}`);
    return;
  }
  const { readable } = disks;
  const isTrouble = readable !== null && (readable.workers.length > 0 || readable.cleanup === 'not-seen');
  if (found.value === null) {
    if (!isTrouble && !isBlind(disks)) return;
    const outcome = await perform(open, {
      kind: 'open-issue',
      marker,
      title: diskIssueTitle(place.cluster),
      body: renderDiskIssue({ disks, mutations: [], editedAt: 0 }),
      labels: [DISK_LABEL],
    });
    if (outcome.kind !== 'done' || outcome.number === null) return;
    await propose(open, place, disks, outcome.number);
    await tell(open, disks, { number: outcome.number, body: null, isOpen: true, marker: null });
    return;
  }
  const { number, marker: standing } = found.value;
  const isOurs = standing?.isIntact === true && markerIdentity(standing) === marker;
  if (!isOurs) await noteChange(open, number);
  if (isTrouble) await propose(open, place, disks, number);
  await tell(open, disks, found.value);
}

/** What somebody else has made of the description is recorded before it is put right: who read it meanwhile consents to nothing. */
async function noteChange(open: OpenLab, thread: number): Promise<void> {
  const drafts = descriptionChanges(open, thread, await readDescription(open, thread));
  await recordAsDecided(open, [{ run: JOURNAL, drafts }]);
}

/** Proposes what the newest scan calls for; a lost race is left to the next look. */
async function propose(open: OpenLab, place: DiskPlace, disks: ClusterDisks, thread: number): Promise<void> {
  const { lab, store } = open;
  if (disks.readable === null) return;
  const drafts = diskProposals({
    scan: disks.readable,
    mutations: store.current().journal.mutations,
    repository: lab.repository,
    thread,
    steps: diskStepsOf(place),
    digestOf: lab.digestOf,
  });
  await recordAsDecided(open, [{ run: JOURNAL, drafts }]);
}

/** Comments come first: the description says which situation was told, so that it is the last to change. */
async function tell(open: OpenLab, disks: ClusterDisks, issue: ToldIssue): Promise<void> {
  const { mutations, incidents } = open.store.current().journal;
  const { comments, edit } = decideDiskIssue({ disks, mutations, incidents, issue, now: open.lab.now() });
  if (!(await sayAll(open, issue.number, comments))) return;
  if (edit !== null) await perform(open, edit);
}

/** Whether all of them stand. The thread is read for it: a process may have died, or been held up, after it had said some. */
async function sayAll(open: OpenLab, thread: number, owed: readonly DatedComment[]): Promise<boolean> {
  const [first] = owed.map(({ at }) => fromRfc3339(at) ?? open.lab.now()).toSorted((a, b) => a - b);
  if (first === undefined) return true;
  const read = await readThread(open.lab.client, thread, readingOf(open.lab, open.config), first);
  if (read.kind === 'unknown') {
    open.lab.log(`what was told of the disks in #${thread}: ${read.why}`);
    return false;
  }
  for (const one of owed)
    if ((await sayAmong(open, one, read.value.comments)).kind !== 'stands') return false;
  return true;
}
