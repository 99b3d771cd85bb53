/** Control's work on one repository: handles triggers, one batch at a time. */

import { permits } from '../../domain/actor.ts';
import { commentName } from '../../domain/answer-key.ts';
import { GitError } from '../../domain/git.ts';
import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/logbook/role.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after, toRfc3339 } from '../../domain/time.ts';
import { synchronizeClock } from '../../github/call.ts';
import { readPermission } from '../../github/permission.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import {
  areSettled,
  awaitedThread,
  causesOf,
  type Looks,
  noteReconciled,
  tellsOfEnd,
} from '../../run/causes.ts';
import { isStopOwed } from '../../run/decide-stop.ts';
import { needsWatch, WATCH_START_MS } from '../../run/decide-watch.ts';
import { isWaitOpen, WAIT_UPDATE_MS } from '../../run/open-waits.ts';
import { WHOLE_BRANCH } from '../broken-run.ts';
import { deliver } from '../channels.ts';
import type { Lab } from '../lab.ts';
import { createLabOpener, type LabOpener, type Opening, type OpenLab, openForRun } from '../open-lab.ts';
import { labelledIn, noOwnPulls, type OwnPulls, takeUpLabelled } from '../propose/own-pulls.ts';
import { completeProposals, settleRequests } from '../propose/settle.ts';
import type { Record } from '../record-files.ts';
import { brokenRentals, dispatchStops, STOP_AGAIN_MS } from '../stop-by-job-id.ts';
import {
  apartFromComments,
  contained,
  EVERYWHERE,
  type Trouble,
  throwIfAny,
  unreadFiles,
} from '../trouble.ts';
import { createMemories, type Memories } from './attempt-caches.ts';
import { checkpointRecord } from './checkpoint-record.ts';
import { checkBranches } from './config-check.ts';
import { type DiskCache, followFullDisks, keepDiskIssues } from './disk-issues.ts';
import { createGatherer } from './gather.ts';
import { experimentTriggers } from './issue-card.ts';
import { answerWithoutRun } from './journal.ts';
import { publishAnswers } from './journal-answers.ts';
import { careForJournal, lookAfterAccounts } from './journal-steps.ts';
import { publishOrphans } from './orphan-issues.ts';
import { areOthersDue, type OtherPulls, searchOthers } from './other-pulls.ts';
import { performReaction } from './perform.ts';
import { reconcileRun } from './reconcile-run.ts';
import { faultySeals, reportCorruptLogbook, reportFaults, reportTroubles } from './report-corrupt-logbook.ts';
import { type SweepCursor, sweep } from './sweep.ts';

/** Comments that this process remembers, so that it reacts to each of them once. */
const ACKNOWLEDGED_MAX = 500;

/** Reacts once to each comment with a command among the triggers. */
type GiveReceipts = (triggers: readonly ReconcileRequest[], troubles: Trouble[]) => Promise<void>;

function createReceipts(lab: Lab): GiveReceipts {
  const done = new Set<string>();
  return async (triggers, troubles) => {
    for (const trigger of triggers) {
      if (trigger.kind !== 'comment' || !trigger.hasSlash) continue;
      const { surface, comment, thread, from } = trigger;
      const name = commentName({ surface, id: comment });
      if (done.has(name)) continue;
      done.add(name);
      const oldest = done.values().next();
      if (done.size > ACKNOWLEDGED_MAX && oldest.done !== true) done.delete(oldest.value);
      await contained({ lab }, troubles, { run: JOURNAL, thread }, async () => {
        if (await isColleague(lab, from))
          await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
      });
    }
  };
}

/**
 * Strangers get no 👀: a reaction counts against the hourly limit of content writes. GitHub also reports private members
 * as outsiders, so their permission decides.
 */
async function isColleague(
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
  /** Pause until the next check without a trigger, while a stop or a watch has not started; null if nothing waits. */
  readonly lookAgainMs: () => number | null;
  /** Reacts to a comment immediately, without waiting for current work. */
  readonly acknowledge: (trigger: ReconcileRequest) => Promise<void>;
};

type Own = {
  readonly lab: Lab;
  readonly opener: LabOpener;
  readonly memories: Memories;
  readonly looks: Looks;
  /** The record after the last batch. */
  seen: Record | null;
  /** How far the sweep has read; it advances when everything found was handled. */
  cursor: SweepCursor | null;
  lookAgainAt: Instant | null;
  /** Whether other triggers arrived since the last sweep, and whether that sweep was skipped. */
  hasHeard: boolean;
  hasSkipped: boolean;
  experimentsSeenAt: Instant;
  readonly giveReceipts: GiveReceipts;
  others: OtherPulls;
  readonly ownPulls: OwnPulls;
  readonly disks: DiskCache;
  /** When the stop workflow was last started, by run and reason. */
  readonly stopsAsked: Map<string, Instant>;
};

/** `speaksFor`: roles whose events this worker publishes (see AttemptCache). */
export function createWorker(lab: Lab, defaultBranch: string, speaksFor: readonly Role[]): Worker {
  const memories = createMemories(speaksFor);
  const own: Own = {
    lab,
    opener: createLabOpener(lab, defaultBranch),
    memories,
    looks: { now: lab.now, memories, settled: new Map(), holds: '', awaited: null },
    seen: null,
    cursor: null,
    lookAgainAt: null,
    hasHeard: false,
    hasSkipped: false,
    experimentsSeenAt: lab.now(),
    giveReceipts: createReceipts(lab),
    others: { since: null, left: [] },
    ownPulls: noOwnPulls(),
    disks: { entry: -1 },
    stopsAsked: new Map(),
  };
  return {
    handle: (triggers) => handle(own, triggers),
    // Triggers that concern nothing do not postpone it.
    lookAgainMs: () => (own.lookAgainAt === null ? null : Math.max(0, own.lookAgainAt - lab.now())),
    acknowledge: async (trigger) => {
      const troubles: Trouble[] = [];
      await own.giveReceipts([trigger], troubles);
      throwIfAny(troubles);
    },
  };
}

async function handle(own: Own, triggers: readonly ReconcileRequest[]): Promise<void> {
  const { lab, memories } = own;
  const troubles: Trouble[] = [];
  if (triggers.every((trigger) => isSmallTalk(own, trigger))) return;
  // React before reading anything, so that the author sees the 👀 early.
  await own.giveReceipts(triggers, troubles);
  const opening = await opened(own);
  if (opening.kind === 'no-config') {
    lab.log(`no config in force: ${opening.config.why}`, { problems: opening.config.problems.length });
    throwIfAny(troubles);
    return;
  }
  const { open } = opening;
  memories.begin(open.store);
  const news = triggers.filter((trigger) => isNews(own, open, trigger));
  if (news.length === 0) return throwIfAny(troubles);
  // Post tamper alarms before anything slow.
  const { broken } = open.store.current();
  await contained(open, troubles, EVERYWHERE, () => reportFaults(open, broken, troubles));
  await contained(open, troubles, EVERYWHERE, () => dispatchStops(open, news, own.stopsAsked, troubles));
  if (!open.store.current().broken.some(({ run }) => run === WHOLE_BRANCH))
    await lookFor(own, open, news, troubles);
  own.seen = open.store.current();
  const pauseMs = lookAgainMs(open, lab.now());
  own.lookAgainAt = pauseMs === null ? null : after(lab.now(), pauseMs);
  await contained(open, troubles, EVERYWHERE, () => reportTroubles(open, troubles));
  throwIfAny([...troubles, ...unreadFiles(open)]);
}

/** How often an unconfirmed stop is checked. */
const OPEN_STOP_LOOK_MS = 30_000;

function lookAgainMs(open: OpenLab, now: Instant): number | null {
  const { runs } = open.store.current();
  if (runs.some((state) => isStopOwed(state, now))) return OPEN_STOP_LOOK_MS;
  const isSilent = runs.some((state) => state.incidents.some((one) => isWaitOpen(state, one, now)));
  if (isSilent) return WAIT_UPDATE_MS;
  // A watch that was dispatched a moment before this one is needed may be over by then.
  if (runs.some((state) => needsWatch(state, now))) return WATCH_START_MS;
  return brokenRentals(open.store.current()).length > 0 ? STOP_AGAIN_MS : null;
}

/** Our own push of the logbook, or the end of a workflow run that no record names, concerns nothing. */
function isNews({ seen, looks }: Own, open: OpenLab, trigger: ReconcileRequest): boolean {
  const { store, config } = open;
  const record = store.current();
  // A hold that was recorded for one run concerns the others of its lane.
  if (looks.holds !== holdsOf(open)) return true;
  const isOnRecord =
    (trigger.kind === 'push' && trigger.ref === `refs/heads/${config.logbookBranch}`) ||
    (trigger.kind === 'workflow-ended' && !tellsOfEnd([trigger], dispatchedIn(record)));
  return !isOnRecord || seen !== record || !areSettled(looks, record.runs);
}

function dispatchedIn({ runs, journal }: Record): ReadonlySet<number> {
  const all = [...runs, journal].flatMap(({ dispatches }) => dispatches);
  return new Set(all.map(({ workflowRun }) => workflowRun));
}

/** A comment without a command matters only if a gate waits for one; the sweep finds gates that started to wait. */
function isSmallTalk({ looks: { awaited } }: Own, trigger: ReconcileRequest): boolean {
  return trigger.kind === 'remark' && awaited !== null && !awaited.has(trigger.thread);
}

/** Handles the triggers. Errors of one part are contained and posted; afterwards the trigger fails. */
async function lookFor(
  own: Own,
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  own.hasHeard ||= triggers.some((trigger) => trigger.kind !== 'sweep');
  if (triggers.some((trigger) => trigger.kind === 'sweep') && isSweepDue(own, triggers))
    await contained(open, troubles, EVERYWHERE, () => sweepThrough(own, open, triggers, troubles));
  else await work(own, open, triggers, troubles);
  if (triggers.some(({ kind }) => kind === 'sweep') && areOthersDue(own.others, own.lab.now()))
    await contained(open, troubles, EVERYWHERE, () => workOnOthers(own, open, troubles));
}

/** Handles pull requests without a run; failures are retried at the next sweep. */
async function workOnOthers(own: Own, open: OpenLab, troubles: Trouble[]): Promise<void> {
  const startedAt = own.lab.now();
  const looked = await searchOthers(open, own.others, troubles);
  if (looked === null) return;
  const { triggers, left } = looked;
  const outcome = triggers.length === 0 ? 'done' : await work(own, open, triggers, troubles);
  if (outcome === 'done') own.others = { since: startedAt, left };
}

/** With working webhooks, every second sweep is skipped. */
function isSweepDue(own: Own, triggers: readonly ReconcileRequest[]): boolean {
  const isOwed = triggers.some((trigger) => trigger.kind === 'sweep' && trigger.isOwed === true);
  own.hasSkipped = !isOwed && own.cursor !== null && own.hasHeard && !own.hasSkipped;
  return !own.hasSkipped;
}

/** Runs passes of the sweep until nothing is left, up to a limit. */
async function sweepThrough(
  own: Own,
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  own.hasHeard = false;
  for (let pass = 1; pass <= limits.sweepPassesMax; pass += 1) {
    const experiments = pass === 1 ? await experimentsIfDue(own, open, own.lab.now()) : [];
    const swept = await sweep(open, own.cursor, troubles);
    const wanted = [...(swept?.triggers ?? []), ...experiments];
    await own.giveReceipts(wanted, troubles);
    const outcome = await work(own, open, pass === 1 ? [...triggers, ...wanted] : wanted, troubles);
    if (swept === null || outcome === 'owing') return;
    own.cursor = swept.cursor;
    if (swept.isWhole) return;
  }
  own.lab.log('sweep: there is more than one sweep reads; the next goes on from there');
}

/**
 * Handles threads without a run first, then runs. Returns `owing` if the triggers must be handled again; contained errors do not repeat
 * them.
 */
async function work(
  own: Own,
  open: OpenLab,
  all: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<'done' | 'owing'> {
  const apart = <T>(part: () => Promise<T>): Promise<T | null> => contained(open, troubles, EVERYWHERE, part);
  const { seen } = own;
  const isSweep = all.some((trigger) => trigger.kind === 'sweep');
  if (isSweep || all.some((trigger) => trigger.kind === 'thread'))
    await apart(() => completeProposals(open, troubles));
  // First, because a hold recorded here affects every run below.
  const elsewhere = await apart(() => answerWithoutRun(open, all, troubles));
  await apart(() => lookAtRuns(own, open, all, troubles));
  const isJournalNew = open.store.current().journal.head?.hash !== seen?.journal.head?.hash;
  // A comment concerns its thread; the rest, only if it was recorded in the journal.
  const isWide = isJournalNew || !all.every(({ kind }) => kind === 'comment' || kind === 'remark');
  if (isWide) await lookAtRest(own, open, all, troubles);
  if (isSweep) await apart(() => lookAfterAccounts(open, own.memories, troubles));
  const seals = isSweep ? ((await apart(() => faultySeals(open, troubles))) ?? []) : [];
  const past = isSweep ? ((await apart(() => checkpointRecord(open))) ?? []) : [];
  const heard = all.flatMap((one) => (one.kind === 'comment' && one.hasSlash ? [one.thread] : []));
  await apart(() => reportCorruptLogbook(open, troubles, [...seals, ...past], heard));
  // Commands that could not be recorded must be found again.
  return open.store.refusal() === null ? (elsewhere ?? 'done') : 'owing';
}

/** What the journal asks for, the issues about machines and disks, and branches that were pushed. */
async function lookAtRest(
  own: Own,
  open: OpenLab,
  all: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  const apart = <T>(part: () => Promise<T>): Promise<T | null> => contained(open, troubles, EVERYWHERE, part);
  const moved = [
    ...((await apart(() => settleRequests(open, troubles))) ?? []),
    ...((await apart(() => takeUpLabelled(open, labelledIn(open, all), own.ownPulls, troubles))) ?? []),
  ];
  if (moved.length > 0) await apart(() => lookAtRuns(own, open, moved, troubles));
  if (moved.length > 0 || all.some((trigger) => trigger.kind === 'sweep'))
    await apart(() => publishAnswers(open, troubles));
  await apart(() => careForJournal(open, own.memories, troubles));
  await apart(() => keepDiskIssues(open, all, own.disks, troubles));
  await apart(() => publishOrphans(open, troubles));
  await apart(() => followFullDisks(open, own.memories, troubles));
  await apart(() => checkBranches(open, all, troubles));
}

/** Reconciles every run that the triggers may concern. */
async function lookAtRuns(
  own: Own,
  open: OpenLab,
  all: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  const { lab, memories } = own;
  const holds = holdsOf(open);
  const mayHaveEnded = tellsOfEnd(all, dispatchedIn(open.store.current()));
  const heard = { triggers: all, holds, config: open.config, mayHaveEnded };
  const gatherer = createGatherer(lab, open.git, open.config, open.configHealth);
  for (const run of open.store.current().runs.map((state) => state.run)) {
    const state = open.store.current().runs.find((r) => r.run === run);
    if (state === undefined) continue;
    await contained(open, troubles, { run, thread: null }, async () => {
      const causes = causesOf(own.looks, state, heard);
      if (causes.length === 0) return;
      const { config } = openForRun(open, state);
      const { git, store, config: labConfig } = open;
      const context = { lab, git, config, labConfig, store, gatherer, memories, mayHaveEnded, causes };
      const outcome = await apartFromComments(open, troubles, (withoutText) =>
        reconcileRun({ ...context, withoutText }, run),
      );
      await deliver(open, run);
      const after = open.store.current().runs.find((one) => one.run === run);
      noteReconciled(own.looks, state, after, { outcome, causes });
    });
  }
  own.looks.holds = holds;
  own.looks.awaited = new Set(open.store.current().runs.flatMap((state) => awaitedThread(state) ?? []));
}

/** Git does not report the time. If it refuses, ask GitHub: the token may have expired while this machine slept. */
async function opened(own: Own): Promise<Opening> {
  try {
    return await own.opener.open();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    own.lab.log(`git: ${error.message}`);
    await synchronizeClock(own.lab.client);
    return own.opener.open();
  }
}

/** Searches for labels after lost webhooks; rarely, because each search is a request. */
async function experimentsIfDue(own: Own, open: OpenLab, now: Instant): Promise<readonly ReconcileRequest[]> {
  if (now - own.experimentsSeenAt < limits.experimentLookPeriodMs) return [];
  const since = toRfc3339(after(own.experimentsSeenAt, -limits.sweepSlackMs));
  const found = await experimentTriggers(open, since);
  // Failed lists are retried at the next sweep, from the same time.
  if (found !== null) own.experimentsSeenAt = now;
  return found ?? [];
}

/** All holds as one text: a change affects the gates of every waiting run. */
function holdsOf({ store }: OpenLab): string {
  return store
    .current()
    .journal.holds.map(({ scope, lane, date }) => `${scope} ${lane} ${date}`)
    .join(', ');
}
