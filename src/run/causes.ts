/** Finds what a batch of triggers gives a run cause to decide. */

import type { Instant, RunId } from '../domain/ids.ts';
import { mayBeFixed } from '../domain/launch/next-attempt.ts';
import { wantsRelaunch } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LabConfig } from './lane-scope.ts';
import { isOpenToAll, mayPost } from './outbox.ts';
import { isHeadOurs, publicationsOf } from './publications.ts';
import type { Cause } from './reconcile.ts';
import type { AttemptCache } from './step.ts';

/** `said`: settled, and no other process has pending posts; `owing`: something failed or was unreadable. */
export type Reconciled = 'settled' | 'said' | 'owing';

/** A worker's memory of earlier reconciliations. */
export type Looks = {
  readonly now: () => Instant;
  readonly memories: { readonly of: (run: string) => AttemptCache };
  /** The run's fingerprint when nothing was left to do, and until when it is valid (null = until it changes). */
  readonly settled: Map<RunId, { readonly standing: string; readonly untilMs: number | null }>;
  /** The journal's holds at the last look. */
  holds: string;
  /** Issues in which a gate waited for a comment at the last look; null before the first look. */
  awaited: ReadonlySet<number> | null;
};

/** Triggers, current holds, and the config, which names the logbook branch (its pushes change no gate). */
export type Heard = {
  readonly triggers: readonly ReconcileRequest[];
  /** A workflow run that the record names may have ended. */
  readonly mayHaveEnded: boolean;
  readonly holds: string;
  readonly config: LabConfig;
};

/** Whether a workflow run that the record names may have ended. */
export function tellsOfEnd(triggers: readonly ReconcileRequest[], dispatched: ReadonlySet<number>): boolean {
  return triggers.some(
    (one) =>
      one.kind === 'sweep' ||
      (one.kind === 'workflow-ended' && (one.workflowRun === undefined || dispatched.has(one.workflowRun))),
  );
}

/** Whether every run that is not over was left with nothing to do, in this state. */
export function areSettled(looks: Looks, runs: readonly RunState[]): boolean {
  return runs.every((state) => isOver(state) || isSettled(looks, state, looks.now()));
}

/** What the triggers give cause for; empty if they do not concern the run. A comment concerns the run of its thread alone. */
export function causesOf(looks: Looks, state: RunState, heard: Heard): readonly Cause[] {
  const { triggers } = heard;
  const threads = [state.proposal.pull, state.proposal.issue];
  const isAbout = (kind: ReconcileRequest['kind'], among: readonly (number | null)[]): boolean =>
    triggers.some((one) => one.kind === kind && 'thread' in one && among.includes(one.thread));
  const isSweep = triggers.some(({ kind }) => kind === 'sweep');
  const isWaiting = !isOver(state) && (state.submission === null || mayBeFixed(state));
  const areGatesMoved =
    looks.holds !== heard.holds || triggers.some((trigger) => mayMoveGates(heard, trigger));
  if (
    isAbout('thread', threads) ||
    isAbout('remark', [awaitedThread(state)]) ||
    (isWaiting && areGatesMoved) ||
    // A sweep retries commands that wait for a fact and checks for deleted comments.
    (isSweep && hasUnanswered(state) && !isOver(state))
  )
    return ['facts'];
  const causes: Cause[] = isAbout('comment', threads) ? ['comments'] : [];
  if (triggers.every(({ kind }) => kind === 'comment' || kind === 'remark')) return causes;
  return [...causes, ...causesOfRecord(looks, state, heard.mayHaveEnded, areGatesMoved)];
}

/** Causes that no thread names: the clock, ended workflow runs, and what other processes have recorded. */
function causesOfRecord(
  looks: Looks,
  state: RunState,
  mayHaveEnded: boolean,
  isConfigMoved: boolean,
): readonly Cause[] {
  const now = looks.now();
  const isNew = !isSettled(looks, state, now);
  if (isOver(state)) {
    const age = now - (fromRfc3339(state.head.at) ?? 0);
    return isNew && age < limits.overLookMs ? ['facts'] : [];
  }
  // A launch that ended without a claim is not in the record.
  const isLaunching = state.submission === null && isLive(state);
  const isPursued = wantsRelaunch(state) || state.actions.some(({ ended }) => ended === null);
  if (mayHaveEnded && (isLaunching || isPursued)) return ['facts'];
  // After the end, update the check run immediately; also publish a runner's refusal before the next sweep. Other posts of the watch can
  // wait.
  const isOurs = state.end !== null || isHeadOurs(state, looks.memories.of(state.run));
  if (isNew && (isAged(state, now) || isOurs)) return ['facts'];
  return [
    ...(isNew || mayHaveEnded || isConfigMoved ? (['time'] as const) : []),
    ...(mayHaveEnded ? (['ended'] as const) : []),
  ];
}

/** The issue in which a gate waits for a comment, or null. */
export function awaitedThread(state: RunState): number | null {
  const isAwaited = state.gate?.verdicts.some(
    ({ gate, outcome }) => gate === 'issue-updated' && outcome !== 'pass',
  );
  return isAwaited === true && !isOver(state) ? state.proposal.issue : null;
}

/** Remembers the result; a pending result is forgotten, so the run is reconciled again. */
export function noteReconciled(
  looks: Looks,
  before: RunState,
  state: RunState | undefined,
  { outcome, causes }: { readonly outcome: Reconciled; readonly causes: readonly Cause[] },
): void {
  const { run } = before;
  // A turn that decided some things alone settles only a run that was settled before it.
  const isWhole = causes.includes('facts') || isSettled(looks, before, looks.now());
  if (state === undefined || outcome === 'owing' || !isWhole) {
    looks.settled.delete(run);
    return;
  }
  // Look again only after another process had its time to publish.
  const isAll = outcome === 'said' || isMineToSay(looks, state);
  const untilMs = isAll ? null : looks.now() + limits.publishGraceMs;
  looks.settled.set(run, { standing: standing(state), untilMs });
}

function isSettled(looks: Looks, state: RunState, nowMs: number): boolean {
  const settled = looks.settled.get(state.run);
  if (settled === undefined || settled.standing !== standing(state)) return false;
  return settled.untilMs === null || nowMs < settled.untilMs;
}

/** A push (except to the logbook branch) or elapsed time may change the gates. */
function mayMoveGates({ config }: Heard, trigger: ReconcileRequest): boolean {
  if (trigger.kind === 'push') return trigger.ref !== `refs/heads/${config.logbookBranch}`;
  return trigger.kind === 'sweep';
}

/** Other processes publish their own events first. */
function isAged(state: RunState, now: Instant): boolean {
  return isOpenToAll(state.head.at, now) || hasUnanswered(state);
}

function hasUnanswered(state: RunState): boolean {
  return [...state.commands.values()].some((command) => command.answer === null);
}

/** Whether this process may publish everything that is pending. */
function isMineToSay(looks: Looks, state: RunState): boolean {
  const poster = looks.memories.of(state.run);
  return publicationsOf(state).every((publication) => mayPost(publication, poster, looks.now()));
}

/** Fingerprint of everything that can make a run pending. */
function standing(state: RunState): string {
  const open = [...state.commands.values()].filter((command) => command.answer === null).length;
  const cared = state.actions.map(({ approvals: consents, claim: begun, ended }) => [
    consents.length,
    begun?.seq,
    ended?.seq,
  ]);
  return `${phaseOf(state)} ${publicationsOf(state).length} ${open} ${state.gate?.seq ?? 0} ${cared.join(' ')}`;
}
