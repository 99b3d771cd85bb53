/** Steps for clusters, which are recorded in the journal and not in a run: dispatches and their results. */

import { listDiskActions, proposeDiskActions } from '../../care/disk/disk-proposals.ts';
import { type FullDisk, findFullDisks, findScanSince } from '../../care/disk/scan-record.ts';
import { traitsFor } from '../../config/lane-of-file.ts';
import type { ActionRecord } from '../../domain/actions/action.ts';
import { type ClusterDisks, isAllFine, isScanBlind, type RecordedScan } from '../../domain/care/machines.ts';
import { type Effect, oldestFirst } from '../../domain/effect.ts';
import type { RunFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import type { SeenCommand } from '../../domain/logbook/run-state.ts';
import { isSameContent, type MarkerKind, markerIdentity } from '../../domain/marker.ts';
import { factKey } from '../../domain/reconcile-request.ts';
import { addMs, fromRfc3339, type Observed } from '../../domain/values.ts';
import { readWorkflowRun } from '../../github/workflows.ts';
import { recordEntries } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import {
  buildDiskAnswerMarker,
  diskEndKey,
  diskIssueTitle,
  renderDiskAnswer,
  renderDiskChange,
  renderDiskEnd,
  renderDiskIssue,
} from '../../render/disk-issue.ts';
import { buildOrphanMarker, orphanTitle, renderOrphan } from '../../render/issues.ts';
import { decideAccountCheck, decideActions } from '../../run/decide-dispatches.ts';
import { firstLane } from '../../run/lane.ts';
import type { PendingComment, PostedIssue } from '../../run/publications.ts';
import {
  type AttemptCache,
  type DispatchFacts,
  decideDispatch,
  NO_ATTEMPTS,
  rememberOutcome,
  type Step,
  workflowForLane,
} from '../../run/step.ts';
import { locateCluster } from '../contained-errors.ts';
import { createDiskSteps, type DiskPlace, findDiskPlace } from '../disk-scan/disk-port.ts';
import type { OpenLab } from '../open-lab.ts';
import { findOwnIssue, isPosted, post, syncIssue } from '../outbox.ts';
import { performEffect } from './perform.ts';
import { RECONCILE_ROUNDS_MAX } from './reconcile-run.ts';
import type { ReconcileWork, Turn } from './turn.ts';

/** `body` is null for an issue that was just opened. */
type KnownDiskIssue = Omit<PostedIssue, 'body'> & { readonly body: string | null };

type DiskIssueInput = {
  readonly disks: ClusterDisks;
  readonly actions: readonly ActionRecord[];
  readonly commands: ReadonlyMap<string, SeenCommand>;
  readonly issue: KnownDiskIssue;
};

/** `seq` and `at`: the journal entry that the comment reports. */
type DatedPendingComment = PendingComment & { readonly seq: number; readonly at: string };

/** Post `comments` in order before `edit`, because the description stores which state was posted. */
type DiskIssueEffects = { readonly comments: readonly DatedPendingComment[]; readonly edit: Effect | null };

/** Decides the comments and the edit that are due now. */
function decideDiskIssue(input: DiskIssueInput): DiskIssueEffects {
  const { disks, issue } = input;
  const actions = listDiskActions(input.actions, disks.newest.cluster);
  const refused = [...input.commands.values()].findLast(
    ({ thread, answer }) => thread === issue.number && answer?.code === 'action-not-shown',
  );
  const body = renderDiskIssue({ disks, actions, refusedAt: refused?.seq ?? 0 });
  const state = wantedIssueState(disks, actions, issue.isOpen);
  const isSaid = issue.body !== null && issue.marker?.isIntact === true && isSameContent(issue.body, body);
  if (isSaid && state === null) return { comments: [], edit: null };
  const told = Number(issue.marker?.fields['told'] ?? 0);
  const reports = [...listEndReports(issue, actions), ...changeReports(issue, disks)].filter(({ seq }) => seq > told);
  return {
    comments: reports.map(({ seq, at, kind, key, body: text }) => ({
      thread: issue.number,
      seq,
      at,
      marker: markerIdentity({ run: 'journal', kind, key }),
      body: text,
    })),
    edit: { kind: 'edit-issue', issue: issue.number, expected: null, body, state },
  };
}

/** Closes the issue once everything is fine and nothing is running, and never reopens it. Null: leave it unchanged. */
function wantedIssueState(
  disks: ClusterDisks,
  actions: readonly ActionRecord[],
  isOpen: boolean,
): 'open' | 'closed' | null {
  const { readable } = disks;
  const isFine = readable !== null && isAllFine(readable) && readable.cleanup !== 'not-seen' && !isScanBlind(disks);
  const isUnderWay = actions.some(({ claim: begun, ended }) => begun !== null && ended === null);
  const wanted = isFine && !isUnderWay ? 'closed' : 'open';
  return isOpen === (wanted === 'open') || (wanted === 'open' && isFine) ? null : wanted;
}

type Report = {
  readonly seq: number;
  readonly at: string;
  readonly kind: MarkerKind;
  readonly key: string;
  readonly body: string;
};

function listEndReports({ number }: KnownDiskIssue, actions: readonly ActionRecord[]): readonly Report[] {
  return actions.flatMap((one) => {
    if (one.ended === null || one.proposal.thread !== number) return [];
    const { seq, at } = one.ended;
    return [{ seq, at, kind: 'disk-end', key: diskEndKey(one), body: renderDiskEnd(one) } as const];
  });
}

/** No report for a new issue, because its description already shows the state. */
function changeReports({ body }: KnownDiskIssue, { since, readable, newest }: ClusterDisks): readonly Report[] {
  const scan = since ?? readable;
  if (scan === null || body === null) return [];
  const { seq, at } = scan;
  return [{ seq, at, kind: 'disk-change', key: `${newest.cluster}-${seq}`, body: renderDiskChange(scan) }];
}

type JournalFacts = DispatchFacts & { readonly journal: JournalState };

/** Takes the steps that `decide` returns, until it returns null. */
async function executeJournalSteps(open: OpenLab, decide: (facts: JournalFacts) => Step | null): Promise<AttemptCache> {
  const { lab, store } = open;
  let memory: AttemptCache = { ...NO_ATTEMPTS, appended: store.appended(JOURNAL) };
  let workflowRuns: RunFacts['workflowRuns'] = new Map();
  for (let round = 0; round < RECONCILE_ROUNDS_MAX; round += 1) {
    const { journal, broken } = store.current();
    if (broken.some(({ run }) => run === JOURNAL)) return memory;
    const { dispatches } = journal;
    const step = decide({ journal, dispatches, workflowRuns, now: lab.now(), memory });
    if (step === null) return memory;
    if (step.kind === 'need') {
      for (const one of step.facts) {
        if (typeof one === 'string' || one.fact !== 'workflowRuns')
          throw new Error(`${factKey(one)} is not what the journal asks for`);
        workflowRuns = new Map([...workflowRuns, [one.of, await readWorkflowRun(lab.client, one.of)]]);
      }
    } else if (step.kind === 'append') {
      const recorded = await recordEntries(open, [{ run: JOURNAL, drafts: step.drafts }]);
      if (recorded.kind === 'refused') return memory;
    } else if (step.effect.kind === 'dispatch-workflow') {
      memory = rememberOutcome(memory, step.key, await performEffect(open, step.effect));
    } else throw new Error(`${step.effect.kind} is not what the journal asks for`);
  }
  return memory;
}

/** The cluster actions that belong to no run, by cluster. */
export function clusterActions({ open }: Turn): readonly ReconcileWork[] {
  const { config, store } = open;
  const ref = firstLane(config).lane.targetBranch;
  const clusters = new Set(store.current().journal.actions.map(({ proposal }) => proposal.cluster));
  return [...clusters].map((cluster) => ({
    location: locateCluster(cluster),
    reconcile: async () => {
      await executeJournalSteps(open, ({ journal, ...facts }) => {
        const { incidents, holds } = journal;
        const actions = journal.actions.filter(({ proposal }) => proposal.cluster === cluster);
        const isHeld = holds.some(({ date }) => date === null);
        return decideActions({ ...facts, record: JOURNAL, actions, incidents, isHeld, config, ref });
      });
    },
  }));
}

/** Starts the watch of each rental account that is due for a check. Only the watch has the account's key and destroys unowned machines. */
export function accountChecks({ open }: Pick<Turn, 'open'>): readonly ReconcileWork[] {
  const { config, store } = open;
  const renting = Object.keys(config.clusters).filter((one) => traitsFor(config, one)?.rental !== undefined);
  return renting.map((cluster) => ({
    location: locateCluster(cluster),
    reconcile: async () => {
      await executeJournalSteps(open, ({ dispatches, ...facts }) => {
        const watches = [...dispatches, ...store.current().runs.flatMap((state) => state.dispatches)];
        return decideAccountCheck(cluster, config, { ...facts, dispatches: oldestFirst(watches) });
      });
      return {};
    },
  }));
}

/** Answers recent jobs that reported a full disk. Costs requests only while an answer is missing. */
export function fullDiskAnswers({ open }: Turn): readonly ReconcileWork[] {
  const { runs, journal } = open.store.current();
  return findFullDisks(runs, open.lab.now())
    .filter(({ cluster }) => findDiskPlace(open.config, cluster) !== null)
    .map((full) => ({
      location: locateCluster(full.cluster),
      reconcile: () => {
        const scan = findScanSince(full, journal.disks);
        return scan === null ? startScan(open, full) : postScanResult(open, full, scan);
      },
    }));
}

/** Starts a disk scan, with a limited number of tries; after that, the daily schedule scans. */
async function startScan(open: OpenLab, { cluster, since }: FullDisk): Promise<void> {
  const { config } = open;
  const wanted = {
    ...workflowForLane(firstLane(config), 'diskScan'),
    ...{ subject: cluster, inputs: { cluster }, since, triesMax: limits.dispatchesPerOrderMax },
  };
  await executeJournalSteps(open, (facts) => decideDispatch(wanted, facts));
}

async function postScanResult(open: OpenLab, full: FullDisk, scan: RecordedScan): Promise<void> {
  const owed = { thread: full.run.proposal.issue, marker: markerIdentity(buildDiskAnswerMarker(full)) };
  if (isPosted(open, owed)) return;
  const issue = await findDiskIssue(open, full.cluster);
  if (issue.kind === 'unknown') {
    open.lab.log(`the disk issue of ${full.cluster}: ${issue.why}`);
    return;
  }
  // Wait for the cluster's issue, so that the answer can link it.
  if (issue.value === null && scan.workers.length > 0) return;
  await post(open, { ...owed, body: renderDiskAnswer(full, scan, issue.value?.number ?? null) });
}

const DISK_LABEL = 'ferrybot-disk';

/** Updates the disk issue of each scanned cluster, which costs a request. Failed scans change nothing until too many failed in a row. */
export function diskIssues({ open }: Turn): readonly ReconcileWork[] {
  const { broken, journal } = open.store.current();
  if (broken.some(({ run }) => run === JOURNAL)) return [];
  return [...journal.disks].flatMap(([cluster, disks]) => {
    const place = findDiskPlace(open.config, cluster);
    return place !== null && (disks.readable !== null || isScanBlind(disks))
      ? [{ location: locateCluster(cluster), reconcile: () => syncDiskIssue(open, place, disks) }]
      : [];
  });
}

/** Finds the disk issue of a cluster; known null if there is none. */
async function findDiskIssue(open: OpenLab, cluster: string): Promise<Observed<PostedIssue | null>> {
  const actions = listDiskActions(open.store.current().journal.actions, cluster);
  // If the issue contains a proposal by ferrybot, it is ferrybot's issue, even if its first line was edited.
  const proposedIn = actions.at(-1)?.proposal.thread ?? null;
  return findOwnIssue(open, DISK_LABEL, diskIssueMarker(cluster), (number) => number === proposedIn);
}

function diskIssueMarker(cluster: string): string {
  return markerIdentity({ run: 'journal', kind: 'disk', key: cluster });
}

/** Updates one issue. Posts comments first: the description stores which state was posted, so it must change last. */
async function syncDiskIssue(open: OpenLab, place: DiskPlace, disks: ClusterDisks): Promise<void> {
  const { lab, store } = open;
  const found = await findDiskIssue(open, place.cluster);
  if (found.kind === 'unknown') {
    lab.log(`the disk issue of ${place.cluster}: ${found.why}`);
    return;
  }
  const { readable } = disks;
  const isTrouble = readable !== null && (readable.workers.length > 0 || readable.cleanup === 'not-seen');
  const isWanted = found.value !== null || isTrouble || isScanBlind(disks);
  const issue = found.value ?? (isWanted ? await openDiskIssueIfNeeded(open, disks) : null);
  if (issue === null) return;
  if (isTrouble) await proposeDiskChanges(open, place, disks, issue.number);
  const { actions, commands } = store.current().journal;
  const { comments, edit } = decideDiskIssue({ disks, actions, commands, issue });
  for (const one of comments) if ((await post(open, one, fromRfc3339(one.at))).kind !== 'stands') return;
  if (edit !== null) await performEffect(open, edit);
}

async function openDiskIssueIfNeeded(open: OpenLab, disks: ClusterDisks): Promise<KnownDiskIssue | null> {
  const { cluster } = disks.newest;
  const outcome = await performEffect(open, {
    kind: 'open-issue',
    marker: diskIssueMarker(cluster),
    title: diskIssueTitle(cluster),
    body: renderDiskIssue({ disks, actions: [], refusedAt: 0 }),
    labels: [DISK_LABEL],
  });
  return outcome.kind === 'done' && outcome.number !== null
    ? { number: outcome.number, body: null, isOpen: true, marker: null }
    : null;
}

/** Proposes the actions for the newest scan. After a lost race, the next turn retries. */
async function proposeDiskChanges(open: OpenLab, place: DiskPlace, disks: ClusterDisks, thread: number): Promise<void> {
  const { lab, store } = open;
  if (disks.readable === null) return;
  const drafts = proposeDiskActions({
    scan: disks.readable,
    actions: store.current().journal.actions,
    repository: lab.repository,
    thread,
    steps: createDiskSteps(place),
    digestOf: lab.digestOf,
  });
  await recordEntries(open, [{ run: JOURNAL, drafts }]);
}

const MACHINE_LABEL = 'ferrybot-machine';

/** Updates the issues of orphaned machines that exist or ended recently. The next turn retries failures. */
export function orphanIssues({ open }: Turn): readonly ReconcileWork[] {
  const since = addMs(open.lab.now(), -limits.overLookMs);
  return open.store
    .current()
    .journal.orphans.filter(({ endedAt }) => endedAt === null || (fromRfc3339(endedAt) ?? 0) >= since)
    .map((orphan) => ({
      location: locateCluster(orphan.cluster),
      reconcile: async () => {
        await syncIssue(open, {
          label: MACHINE_LABEL,
          marker: markerIdentity(buildOrphanMarker(orphan)),
          title: orphanTitle(orphan),
          body: renderOrphan(orphan),
          state: orphan.endedAt === null ? null : 'closed',
        });
      },
    }));
}
