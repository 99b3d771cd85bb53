/** Selects the runs that triggers concern, and runs the reconcile loop: decide one step, take it, feed the outcome back. */

import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import type { RunFacts } from '../../domain/facts.ts';
import { canBeFixed } from '../../domain/launch/next-attempt.ts';
import { wantsRelaunch } from '../../domain/launch/response.ts';
import { limits } from '../../domain/limits.ts';
import { isLive, runPhase } from '../../domain/logbook/job-state.ts';
import type { Role } from '../../domain/logbook/parts.ts';
import { isOver, listUndelivered, type RunState } from '../../domain/logbook/run-state.ts';
import { factKey, type Need, type ReconcileRequest } from '../../domain/reconcile-request.ts';
import { fromRfc3339, type Instant, type RunId } from '../../domain/values.ts';
import { recordEntries } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import type { PublishInput } from '../../run/decide-publications.ts';
import { configForRun } from '../../run/lane.ts';
import {
  isHeadOwn,
  listPublications,
  listWritableKinds,
  mayAnyonePost,
  mayPost,
  type Poster,
} from '../../run/publications.ts';
import { type Agenda, buildAgenda, type Cause, listCausesOfStep, reconcile } from '../../run/reconcile.ts';
import { type AttemptCache, NO_ATTEMPTS, rememberOutcome, type Step } from '../../run/step.ts';
import { sendPendingNotices } from '../channels.ts';
import { skipBadComments, type Trouble } from '../contained-errors.ts';
import { rememberRun } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import type { EventStore } from '../record.ts';
import type { Record } from '../record-files.ts';
import { createGatherer, type FactGatherer } from './gather.ts';
import { performEffect } from './perform.ts';
import type { ReconcileWork, RunMemory, Settled, Turn } from './turn.ts';

/** `owing`: an effect failed, or a fact was unreadable. */
type Reconciled = 'settled' | 'owing';

type ReconcileView = { readonly settled: Settled; readonly poster: Poster; readonly now: Instant };

type BatchTriggers = {
  readonly triggers: readonly ReconcileRequest[];
  readonly mayHaveEnded: boolean;
  /** Whether a hold in the journal was added or removed since the last turn. */
  readonly areHoldsNew: boolean;
  /** Pushes to this branch change no gate. */
  readonly logbookBranch: string;
};

/** Whether the triggers show that a workflow run in the record may have ended. */
export function mayBeEnd(triggers: readonly ReconcileRequest[], dispatched: ReadonlySet<number>): boolean {
  return triggers.some(
    (one) =>
      one.kind === 'sweep' ||
      (one.kind === 'workflow-ended' && (one.workflowRun === undefined || dispatched.has(one.workflowRun))),
  );
}

/** The workflow runs whose end GitHub reported. */
function listEndedRuns(triggers: readonly ReconcileRequest[]): ReadonlySet<number> {
  return new Set(triggers.flatMap((one) => (one.kind === 'workflow-ended' ? (one.workflowRun ?? []) : [])));
}

/** The causes to reconcile the run; empty if the triggers do not concern it. A comment concerns only the run of its thread. */
export function listCauses(poll: ReconcileView, state: RunState, heard: BatchTriggers): readonly Cause[] {
  const { triggers, logbookBranch } = heard;
  const { pull, issue } = state.proposal;
  const awaited = threadAwaitingComment(state);
  let areGatesMoved = heard.areHoldsNew;
  let [isCommented, isSweep, isWide] = [false, false, false];
  for (const one of triggers) {
    const thread = 'thread' in one ? one.thread : null;
    const isHere = thread !== null && (thread === pull || thread === issue);
    if (isHere && one.kind === 'thread') return ['facts'];
    if (one.kind === 'remark' && thread === awaited) return ['facts'];
    if (one.kind === 'comment' && isHere) isCommented = true;
    if (one.kind !== 'comment' && one.kind !== 'remark') isWide = true;
    if (one.kind === 'sweep') isSweep = true;
    // The gates may change over time, or by a push to any branch except the logbook's.
    if (one.kind === 'push' && one.ref !== `refs/heads/${logbookBranch}`) areGatesMoved = true;
  }
  areGatesMoved ||= isSweep;
  const isWaiting = state.submission === null || canBeFixed(state);
  // A sweep also retries commands that wait for a fact, checks for deleted comments, and leaves the threads of live runs to a process that
  // has not read them yet.
  const isUnread = poll.settled.get(state.run) === undefined;
  const isDue = (isWaiting && areGatesMoved) || (isSweep && (hasUnansweredCommand(state) || isUnread));
  if (isDue && !isOver(state)) return ['facts'];
  const causes: readonly Cause[] = isCommented ? ['comments'] : [];
  return isWide ? [...causes, ...listRecordCauses(poll, state, heard.mayHaveEnded, areGatesMoved)] : causes;
}

/** Causes without a thread: the clock, ended workflow runs, and new entries of other processes. */
function listRecordCauses(
  { settled, poster, now }: ReconcileView,
  state: RunState,
  mayHaveEnded: boolean,
  isConfigMoved: boolean,
): readonly Cause[] {
  const isNew = !isRunSettled(settled, state, now);
  if (isOver(state)) {
    const age = now - (fromRfc3339(state.head.at) ?? 0);
    return isNew && age < limits.overLookMs ? ['facts'] : [];
  }
  // A launch that ended without a claim leaves no entry in the record.
  const isLaunching = state.submission === null && isLive(state);
  const isPursued = wantsRelaunch(state) || state.actions.some(({ ended }) => ended === null);
  if (mayHaveEnded && (isLaunching || isPursued)) return ['facts'];
  // Give other processes time to publish their own events. Exceptions: after the end, update the check run immediately; publish a runner's
  // refusal before the next sweep. Other posts of the watch can wait.
  const isOurs = state.end !== null || isHeadOwn(state, poster);
  const isAged = mayAnyonePost(state.head.at, now) || hasUnansweredCommand(state);
  if (isNew && (isAged || isOurs)) return ['facts'];
  return [
    ...(isNew || mayHaveEnded || isConfigMoved ? (['time'] as const) : []),
    ...(mayHaveEnded ? (['ended'] as const) : []),
  ];
}

/** The issue in which a gate waits for a comment; null if there is none. */
export function threadAwaitingComment(state: RunState): number | null {
  const isAwaited = state.gate?.verdicts.some(({ gate, outcome }) => gate === 'issue-updated' && outcome !== 'pass');
  return isAwaited === true && !isOver(state) ? state.proposal.issue : null;
}

/** Stores the result of a turn. A pending result is not stored, so the run is reconciled again. */
export function noteReconciled(
  { settled, poster, now }: ReconcileView,
  before: RunState,
  state: RunState | null,
  { outcome, causes }: { readonly outcome: Reconciled; readonly causes: readonly Cause[] },
): void {
  // A turn with a limited agenda settles only a run that was settled before.
  const isWhole = causes.includes('facts') || isRunSettled(settled, before, now);
  if (state === null || outcome === 'owing' || !isWhole) {
    settled.delete(before.run);
    return;
  }
  // Other processes have this time to publish what they recorded.
  const isPosted = listPublications(state).every((publication) => mayPost(publication, poster, now));
  const untilMs = isPosted ? null : now + limits.publishGraceMs;
  settled.set(before.run, { fingerprint: pendingFingerprint(state), untilMs });
}

/** Whether every run that is not over was left with nothing to do, in this state. */
export function areRunsSettled(settled: Settled, runs: readonly RunState[], now: Instant): boolean {
  return runs.every((state) => isOver(state) || isRunSettled(settled, state, now));
}

function isRunSettled(settled: Settled, state: RunState, now: Instant): boolean {
  const known = settled.get(state.run);
  if (known === undefined || known.fingerprint !== pendingFingerprint(state)) return false;
  return known.untilMs === null || now < known.untilMs;
}

function hasUnansweredCommand(state: RunState): boolean {
  return [...state.commands.values()].some((command) => command.answer === null);
}

function pendingFingerprint(state: RunState): string {
  const open = [...state.commands.values()].filter(({ answer }) => answer === null);
  const cared = state.actions.flatMap(({ approvals, claim, ended }) => [approvals.length, claim?.seq, ended?.seq]);
  return [runPhase(state), listPublications(state).length, open.length, state.gate?.seq, ...cared].join(' ');
}

/** A run needs about six rounds from a command to a dispatch. */
export const RECONCILE_ROUNDS_MAX = 25;

/** All runs; each is reconciled only if the triggers concern it. */
export function listRunWork({ open, triggers, troubles, runs: memory }: Turn): readonly ReconcileWork[] {
  const record = open.store.current();
  const holds = holdsFingerprint(record);
  const heard = {
    triggers,
    mayHaveEnded: mayBeEnd(triggers, listDispatchedWorkflowRuns(record)),
    areHoldsNew: memory.holds !== holds,
    logbookBranch: open.config.logbookBranch,
  };
  memory.holds = holds;
  const gatherer = createGatherer(open);
  return record.runs.map(({ run }) => ({
    location: { run, thread: null },
    reconcile: () => reconcileIfConcerned({ open, memory, gatherer, troubles, triggers: heard }, run),
  }));
}

type RunConcern = {
  readonly open: OpenLab;
  readonly memory: RunMemory;
  readonly gatherer: FactGatherer;
  readonly troubles: Trouble[];
  readonly triggers: BatchTriggers;
};

async function reconcileIfConcerned(
  { open, memory, gatherer, troubles, triggers }: RunConcern,
  run: RunId,
): Promise<void> {
  const { lab, store, posted } = open;
  const { settledRuns, publishesFor } = memory;
  const before = findRunState(store, run);
  const causes =
    before === null
      ? []
      : listCauses(
          { settled: settledRuns, poster: posterForRun(store, run, publishesFor), now: lab.now() },
          before,
          triggers,
        );
  if (before === null || causes.length === 0) return;
  const turned = await skipBadComments(open, troubles, (withoutText) =>
    reconcileRun(
      {
        open,
        source: { gather: (state, needed) => gatherer.gather(state, needed, withoutText) },
        agenda: buildAgenda(causes),
        memory: { ...(posted.runs.get(run)?.memory ?? NO_ATTEMPTS), ...posterForRun(store, run, publishesFor) },
        needs: causes.some((cause) => cause === 'facts' || cause === 'comments') ? ['comments'] : [],
        mayHaveEnded: triggers.mayHaveEnded,
        endedRuns: listEndedRuns(triggers.triggers),
      },
      run,
    ),
  );
  const { outcome, memory: attempts } = turned;
  rememberRun(posted, run, { ownComments: null, memory: attempts, entries: store.appended(run).size });
  const ended = findRunState(store, run);
  if (ended !== null && listUndelivered(ended).length > 0) await sendPendingNotices(open, ended);
  const after = findRunState(store, run);
  noteReconciled(
    { settled: settledRuns, poster: posterForRun(store, run, publishesFor), now: lab.now() },
    before,
    after,
    { outcome, causes },
  );
}

function posterForRun(store: EventStore, run: RunId, speaksFor: readonly Role[]): Poster {
  return { publishesFor: speaksFor, appended: store.appended(run) };
}

/** All holds as one text. If it changes, the gates of every waiting run are due. */
export function holdsFingerprint({ journal }: Record): string {
  return journal.holds.map(({ scope, lane, date }) => `${scope} ${lane} ${date}`).join(', ');
}

/** Ids of the workflow runs in the record. */
export function listDispatchedWorkflowRuns({ runs, journal }: Record): ReadonlySet<number> {
  const all = [...runs, journal].flatMap(({ dispatches }) => dispatches);
  return new Set(all.map(({ workflowRun }) => workflowRun));
}

/** Where a process gets the facts of one run. */
export type FactSource = {
  /** `needed`: facts that the decisions requested. */
  readonly gather: (state: RunState, needed: ReadonlyMap<string, Need>) => Promise<RunFacts>;
  /** Whether the facts behind the effect had to be read again. */
  readonly refresh?: (effect: Effect) => Promise<boolean>;
  readonly note?: (effect: Effect, outcome: EffectOutcome) => void;
};

type RunContext = {
  readonly open: OpenLab;
  readonly source: FactSource;
  readonly agenda: Agenda;
  readonly memory: AttemptCache;
  /** Facts to read before the first round. */
  readonly needs?: readonly Need[];
  readonly mayHaveEnded?: boolean;
  readonly endedRuns?: ReadonlySet<number>;
  /** Post only comments of these kinds. */
  readonly only?: PublishInput['only'];
};

type RunTurnResult = { readonly outcome: Reconciled; readonly memory: AttemptCache };

/** Decides and acts until no step is possible now. Control, the watch and the watchdog use different agendas and facts. */
export async function reconcileRun(context: RunContext, run: RunId): Promise<RunTurnResult> {
  const { open, source } = context;
  const { lab, store } = open;
  let { memory, agenda } = context;
  const needed = new Map(context.needs?.map((one) => [factKey(one), one]));
  let head: string | null = null;
  // Rounds that only request facts do not count: the number of facts is finite, and each is requested once.
  for (let round = 0; round < RECONCILE_ROUNDS_MAX + needed.size; round += 1) {
    const state = findRunState(store, run);
    if (state === null) return { outcome: 'settled', memory };
    const facts = await source.gather(state, needed);
    // Reading the cards reloaded the record, so the state may have changed.
    if (findRunState(store, run)?.head.hash !== state.head.hash) continue;
    // Another process has appended entries.
    if (head !== null && head !== state.head.hash) agenda = buildAgenda(['facts'], agenda);
    head = state.head.hash;
    const writable = listWritableKinds(lab.client, lab.now());
    const decided = reconcile(
      {
        state,
        facts,
        config: configForRun(open.config, state),
        repository: lab.repository,
        now: lab.now(),
        memory,
        digestOf: lab.digestOf,
        mayHaveEnded: context.mayHaveEnded === true,
        ...(context.endedRuns === undefined ? {} : { endedRuns: context.endedRuns }),
        only: context.only?.filter((kind) => writable?.some((one) => one === kind) ?? true) ?? writable,
      },
      agenda,
    );
    const { step } = decided;
    if (step === null) {
      const isUnread = needed.has('comments') && facts.comments.kind === 'unknown';
      const isOwing = writable !== undefined || !areEffectsDone(memory) || isUnread;
      return { outcome: isOwing ? 'owing' : 'settled', memory };
    }
    agenda = buildAgenda(listCausesOfStep(step), decided.agenda);
    if (step.kind === 'need') {
      for (const fact of step.facts) {
        const name = factKey(fact);
        if (needed.has(name)) throw new Error(`${name} was read, and is asked for again`);
        needed.set(name, fact);
      }
      continue;
    }
    if (step.kind === 'perform' && (await source.refresh?.(step.effect)) === true) continue;
    const taken = await executeStep(context, run, step, memory);
    if (taken === 'refused') return { outcome: 'owing', memory };
    if (taken.appended !== memory.appended) head = findRunState(store, run)?.head.hash ?? null;
    memory = taken;
  }
  lab.log('reconcile did not settle', { run, rounds: RECONCILE_ROUNDS_MAX });
  return { outcome: 'owing', memory };
}

function areEffectsDone(memory: AttemptCache): boolean {
  return [...memory.outcomes.values()].every((outcome) => outcome.kind === 'done');
}

function findRunState(store: EventStore, run: RunId): RunState | null {
  return store.current().runs.find((state) => state.run === run) ?? null;
}

async function executeStep(
  { open, source }: RunContext,
  run: RunId,
  step: Exclude<Step, { kind: 'need' }>,
  memory: AttemptCache,
): Promise<AttemptCache | 'refused'> {
  if (step.kind === 'perform') {
    const outcome = await performEffect(open, step.effect);
    source.note?.(step.effect, outcome);
    return rememberOutcome(memory, step.key, outcome);
  }
  const journal = { run: JOURNAL, drafts: step.journal } as const;
  const recorded = await recordEntries(open, [{ run, drafts: step.drafts }, journal]);
  if (recorded.kind === 'refused') return 'refused';
  // The record changed; the next round decides again.
  if (recorded.kind === 'nothing') return memory;
  return { ...memory, appended: new Set(open.store.appended(run)) };
}
