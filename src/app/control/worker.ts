/** Control's work on one repository: handles triggers, one batch at a time. */

import { permits } from '../../domain/actor.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/logbook/parts.ts';
import { isOver } from '../../domain/logbook/run-state.ts';
import { commentId } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { addMs, type Instant } from '../../domain/values.ts';
import { synchronizeClock } from '../../github/call.ts';
import { readPermission } from '../../github/settings.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { isStopOverdue, needsWatch, WATCH_START_MS } from '../../run/decide-dispatches.ts';
import { isWaitOpen, WAIT_UPDATE_MS } from '../../run/decide-waits.ts';
import { type BrokenRun, WHOLE_BRANCH } from '../broken-run.ts';
import { EVERYWHERE, guard, listUnreadFiles, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import type { Lab } from '../lab.ts';
import { createLabOpener, type LabOpener, type Opening, type OpenLab } from '../open-lab.ts';
import { completeProposals, settleRequests } from '../propose/propose.ts';
import { adoptLabelled, createOwnPulls, listLabelled, type OwnPulls } from '../propose/requests.ts';
import type { Record } from '../record-files.ts';
import { dispatchStopsById, listBrokenRentals, STOP_AGAIN_MS } from '../stop-by-job-id.ts';
import { accountChecks, clusterActions, diskIssues, fullDiskAnswers, orphanIssues } from './cluster.ts';
import { performReaction } from './perform.ts';
import {
  areRunsSettled,
  holdsFingerprint,
  listDispatchedWorkflowRuns,
  listRunWork,
  mayBeEnd,
  threadAwaitingComment,
} from './reconcile-run.ts';
import { findFaultySeals, reportCorruptLogbook, reportFaults, reportTroubles } from './report-corrupt-logbook.ts';
import { checkpointRecord, listBranchCheckWork } from './repository.ts';
import { type SweepCursor, sweepLab } from './sweep.ts';
import { listThreadWork, postAnswers } from './thread.ts';
import type { ReconcileWork, RunMemory, Turn, WorkOutcome } from './turn.ts';

/** `journal`: the journal has entries since the last batch. `moved`: a decision of this batch concerns the thread. */
type WorkOccasion = ReconcileRequest['kind'] | 'journal' | 'moved';

type ReconcileSubject = {
  readonly occasions: readonly WorkOccasion[];
  readonly find: (turn: Turn) => readonly ReconcileWork[];
};

/** A comment concerns only its thread; other subjects see it only once the journal has recorded it. */
const WIDE_TRIGGERS = ['journal', 'thread', 'push', 'workflow-ended', 'sweep'] as const;

/** The order matters: a hold that is recorded in a thread without a run concerns the runs after it. */
const SUBJECTS: readonly ReconcileSubject[] = [
  // Lanes.
  { occasions: ['sweep', 'thread'], find: (turn) => labWork(() => completeProposals(turn.open, turn.troubles)) },
  // Threads without a run.
  { occasions: ['comment', 'thread'], find: listThreadWork },
  // Runs.
  { occasions: ['comment', 'remark', 'moved', ...WIDE_TRIGGERS], find: listRunWork },
  // Threads that request a run or name one.
  {
    occasions: WIDE_TRIGGERS,
    find: ({ open, troubles }) => labWork(async () => ({ concernedThreads: await settleRequests(open, troubles) })),
  },
  { occasions: WIDE_TRIGGERS, find: (turn) => labWork(() => adoptLabelledThreads(turn)) },
  { occasions: ['moved', 'sweep'], find: ({ open, troubles }) => labWork(() => postAnswers(open, troubles)) },
  // Clusters.
  { occasions: WIDE_TRIGGERS, find: clusterActions },
  { occasions: ['sweep'], find: accountChecks },
  { occasions: ['journal', 'sweep'], find: diskIssues },
  { occasions: WIDE_TRIGGERS, find: orphanIssues },
  { occasions: WIDE_TRIGGERS, find: fullDiskAnswers },
  // The repository.
  { occasions: ['push'], find: listBranchCheckWork },
  {
    occasions: ['sweep'],
    find: ({ open, troubles }) => labWork(async () => ({ faults: await findFaultySeals(open, troubles) })),
  },
  { occasions: ['sweep'], find: ({ open }) => labWork(async () => ({ faults: await checkpointRecord(open) })) },
];

function labWork(reconcile: ReconcileWork['reconcile']): readonly ReconcileWork[] {
  return [{ location: EVERYWHERE, reconcile }];
}

async function adoptLabelledThreads({ open, triggers, ownPulls, troubles }: Turn): Promise<WorkOutcome> {
  return { concernedThreads: await adoptLabelled(open, listLabelled(open, triggers), ownPulls, troubles) };
}

/**
 * Reconciles every subject that declared one of the triggers, then the threads that these decisions concern. An error of one subject does
 * not stop the others. `seen`: the record after the last batch.
 */
async function reconcileSubjects(
  turn: Turn,
  seen: Record | null,
): Promise<{ readonly mustRetry: boolean; readonly faults: readonly BrokenRun[] }> {
  const { open, troubles } = turn;
  const outcomes: WorkOutcome[] = [];
  const runPass = async (
    triggers: readonly ReconcileRequest[],
    isDue: (on: readonly WorkOccasion[]) => boolean,
  ): Promise<void> => {
    for (const { occasions, find } of SUBJECTS) {
      if (!isDue(occasions)) continue;
      const works = await guard(open, troubles, EVERYWHERE, () => find({ ...turn, triggers }));
      for (const { location, reconcile } of works ?? [])
        outcomes.push((await guard(open, troubles, location, async () => reconcile())) ?? {});
    }
  };
  const isJournalNew = (): boolean => open.store.current().journal.head?.hash !== seen?.journal.head?.hash;
  await runPass(
    turn.triggers,
    (on) => turn.triggers.some(({ kind }) => on.includes(kind)) || (on.includes('journal') && isJournalNew()),
  );
  const moved = new Set(outcomes.flatMap((one) => one.concernedThreads ?? []));
  if (moved.size > 0)
    await runPass(
      [...moved].map((thread) => ({ kind: 'thread', thread })),
      (on) => on.includes('moved'),
    );
  return {
    mustRetry: outcomes.some((one) => one.mustRetry === true),
    faults: outcomes.flatMap((one) => one.faults ?? []),
  };
}

/** Maximum comments in memory, so that the worker reacts to each comment once. */
const ACKNOWLEDGED_MAX = 500;

/** Reacts once to each comment with a command. */
type GiveReceipts = (triggers: readonly ReconcileRequest[], troubles: Trouble[]) => Promise<void>;

function createReceipts(lab: Lab): GiveReceipts {
  const done = new Set<string>();
  return async (triggers, troubles) => {
    for (const trigger of triggers) {
      if (trigger.kind !== 'comment' || !trigger.hasSlash) continue;
      const { surface, comment, thread, from } = trigger;
      const name = commentId({ surface, id: comment });
      if (done.has(name)) continue;
      done.add(name);
      const oldest = done.values().next();
      if (done.size > ACKNOWLEDGED_MAX && oldest.done !== true) done.delete(oldest.value);
      await guard({ lab }, troubles, { run: JOURNAL, thread }, async () => {
        if (await hasWriteAccess(lab, from))
          await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
      });
    }
  };
}

/**
 * Strangers get no 👀, because a reaction counts against the hourly limit of content writes. GitHub also reports private members as
 * outsiders, so their permission decides.
 */
async function hasWriteAccess(
  { client }: Lab,
  from: Extract<ReconcileRequest, { kind: 'comment' }>['from'],
): Promise<boolean> {
  if (from?.isOutsider !== true) return true;
  const permission = await readPermission(client, from);
  return permission.kind === 'known' && permits(permission.value, 'triage');
}

export type Worker = {
  /** Handles a batch of triggers. Throws only if nothing could be read or after a bug. */
  readonly handle: (triggers: readonly ReconcileRequest[]) => Promise<void>;
  /** Pause until the next check without a trigger, while a stop or a watch has not started; null if nothing is pending. */
  readonly recheckMs: () => number | null;
  /** Reacts to a comment immediately, while other work continues. */
  readonly acknowledge: (trigger: ReconcileRequest) => Promise<void>;
  /** Where the next sweep begins; null before the first one. */
  readonly cursor: () => SweepCursor | null;
  readonly liveRuns: () => number;
};

/** What this process remembers between batches; a new process starts empty. */
type WorkerState = {
  readonly lab: Lab;
  readonly opener: LabOpener;
  readonly runs: RunMemory;
  /** The record after the last batch. */
  lastRecord: Record | null;
  /** Read position of the sweep. It advances after all found triggers were handled. */
  cursor: SweepCursor | null;
  recheckAt: Instant | null;
  /** Whether other triggers arrived since the last sweep, and whether the last sweep was skipped. */
  hadTriggers: boolean;
  skippedSweep: boolean;
  readonly giveReceipts: GiveReceipts;
  readonly ownPulls: OwnPulls;
  readonly stopRequests: Map<string, Instant>;
};

/** What an earlier process left. `stopRequests`: when the stop workflow was last started, by run and reason. */
type Inherited = { readonly stopRequests?: Map<string, Instant>; readonly cursor?: SweepCursor | null };

/** `speaksFor`: roles whose events this worker publishes (see AttemptCache). */
export function createWorker(
  lab: Lab,
  defaultBranch: string,
  speaksFor: readonly Role[],
  { stopRequests = new Map(), cursor = null }: Inherited = {},
): Worker {
  const own: WorkerState = {
    lab,
    opener: createLabOpener(lab, defaultBranch),
    runs: { publishesFor: speaksFor, settledRuns: new Map(), holds: '' },
    lastRecord: null,
    cursor,
    recheckAt: null,
    hadTriggers: false,
    skippedSweep: false,
    giveReceipts: createReceipts(lab),
    ownPulls: createOwnPulls(),
    stopRequests,
  };
  return {
    handle: (triggers) => handleTriggers(own, triggers),
    // Triggers that concern nothing do not postpone the next check.
    recheckMs: () => (own.recheckAt === null ? null : Math.max(0, own.recheckAt - lab.now())),
    acknowledge: async (trigger) => {
      const troubles: Trouble[] = [];
      await own.giveReceipts([trigger], troubles);
      throwFirstTrouble(troubles);
    },
    cursor: () => own.cursor,
    liveRuns: () => own.lastRecord?.runs.filter((run) => !isOver(run)).length ?? 0,
  };
}

async function handleTriggers(own: WorkerState, triggers: readonly ReconcileRequest[]): Promise<void> {
  const { lab } = own;
  const troubles: Trouble[] = [];
  if (triggers.every((trigger) => isIrrelevantComment(own, trigger))) return;
  // React before reading anything, so that the author soon sees the 👀.
  await own.giveReceipts(triggers, troubles);
  const opening = await openWithClockSync(own);
  if (opening.kind === 'no-config') {
    lab.log(`no config in force: ${opening.config.why}`, { problems: opening.config.problems.length });
    throwFirstTrouble(troubles);
    return;
  }
  const { open } = opening;
  const news = triggers.filter((trigger) => isRelevant(own, open, trigger));
  if (news.length === 0) return throwFirstTrouble(troubles);
  const { broken } = open.store.current();
  if (broken.length > 0) {
    // Post tamper alarms before slow work.
    await guard(open, troubles, EVERYWHERE, () => reportFaults(open, broken, troubles));
    await guard(open, troubles, EVERYWHERE, () => dispatchStopsById(open, news, own.stopRequests, troubles));
  }
  if (!broken.some(({ run }) => run === WHOLE_BRANCH)) await reconcileTriggers(own, open, news, troubles);
  own.lastRecord = open.store.current();
  const pauseMs = nextLookDelayMs(open, lab.now());
  own.recheckAt = pauseMs === null ? null : addMs(lab.now(), pauseMs);
  if (troubles.length > 0) await guard(open, troubles, EVERYWHERE, () => reportTroubles(open, troubles));
  throwFirstTrouble([...troubles, ...listUnreadFiles(open)]);
}

/** How often an unconfirmed stop is checked. */
const OPEN_STOP_POLL_MS = 30_000;

function nextLookDelayMs(open: OpenLab, now: Instant): number | null {
  const { runs, broken } = open.store.current();
  if (runs.some((state) => isStopOverdue(state, now))) return OPEN_STOP_POLL_MS;
  const isWaiting = runs.some((state) => state.incidents.some((one) => isWaitOpen(state, one, now)));
  if (isWaiting) return WAIT_UPDATE_MS;
  // A watch that was dispatched shortly before this need may already be ending.
  if (runs.some((state) => needsWatch(state, now))) return WATCH_START_MS;
  return broken.length > 0 && listBrokenRentals(open.store.current()).length > 0 ? STOP_AGAIN_MS : null;
}

/** Ignores our own pushes to the logbook, and workflow runs that the record does not contain. */
function isRelevant(
  { lastRecord, runs, lab }: WorkerState,
  { store, config }: OpenLab,
  trigger: ReconcileRequest,
): boolean {
  const record = store.current();
  // A hold that was recorded for one run concerns other runs of the lane.
  if (lastRecord !== record || runs.holds !== holdsFingerprint(record)) return true;
  const isOnRecord =
    (trigger.kind === 'push' && trigger.ref === `refs/heads/${config.logbookBranch}`) ||
    (trigger.kind === 'workflow-ended' && !mayBeEnd([trigger], listDispatchedWorkflowRuns(record)));
  return !isOnRecord || !areRunsSettled(runs.settledRuns, record.runs, lab.now());
}

/** A comment without a command matters only if a gate waits for one. The sweep finds gates that started to wait. */
function isIrrelevantComment({ lastRecord }: WorkerState, trigger: ReconcileRequest): boolean {
  return (
    trigger.kind === 'remark' &&
    lastRecord !== null &&
    lastRecord.runs.every((state) => threadAwaitingComment(state) !== trigger.thread)
  );
}

/** Reconciles what the triggers concern; a sweep adds what no webhook reported. While webhooks work, every second sweep is skipped. */
async function reconcileTriggers(
  own: WorkerState,
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  own.hadTriggers ||= triggers.some((trigger) => trigger.kind !== 'sweep');
  const sweeps = triggers.flatMap((trigger) => (trigger.kind === 'sweep' ? [trigger] : []));
  if (sweeps.length === 0) return void (await reconcileBatch(own, open, triggers, troubles));
  const isOwed = sweeps.some((trigger) => trigger.isOwed === true);
  own.skippedSweep = !isOwed && own.cursor !== null && own.hadTriggers && !own.skippedSweep;
  if (own.skippedSweep) return void (await reconcileBatch(own, open, triggers, troubles));
  own.hadTriggers = false;
  await guard(open, troubles, EVERYWHERE, () => sweepUntilDone(own, open, triggers, troubles));
}

/** Repeats the sweep until nothing is left, up to a maximum number of passes. */
async function sweepUntilDone(
  own: WorkerState,
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  for (let pass = 1; pass <= limits.sweepPassesMax; pass += 1) {
    const swept = await sweepLab(open, own.cursor, troubles);
    const found = swept?.triggers ?? [];
    await own.giveReceipts(found, troubles);
    const isOwing = await reconcileBatch(own, open, pass === 1 ? [...triggers, ...found] : found, troubles);
    if (swept === null || isOwing) return;
    own.cursor = swept.cursor;
    if (swept.isWhole) return;
  }
  own.lab.log('sweep: there is more than one sweep reads; the next goes on from there');
}

/** Whether the triggers must be handled again. Contained errors are not a reason. */
async function reconcileBatch(
  own: WorkerState,
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<boolean> {
  const { runs, ownPulls, lastRecord } = own;
  const { mustRetry, faults } = await reconcileSubjects({ open, triggers, troubles, runs, ownPulls }, lastRecord);
  const heard = triggers.flatMap((one) => (one.kind === 'comment' && one.hasSlash ? [one.thread] : []));
  // Commands that could not be recorded must be read again.
  const isRefused = open.store.refusal() !== null;
  if (isRefused || faults.length > 0 || open.store.current().broken.length > 0)
    await guard(open, troubles, EVERYWHERE, () => reportCorruptLogbook(open, troubles, faults, heard));
  return mustRetry || isRefused;
}

/** Opens the lab. After a git error, asks GitHub for the time, which git does not report: the token may have expired during sleep. */
async function openWithClockSync(own: WorkerState): Promise<Opening> {
  try {
    return await own.opener.open();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    own.lab.log(`git: ${error.message}`);
    await synchronizeClock(own.lab.client);
    return own.opener.open();
  }
}
