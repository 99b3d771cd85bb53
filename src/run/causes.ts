/** Finds what a batch of triggers gives a run cause to decide. */

import { mayBeFixed } from '../domain/launch/next-attempt.ts';
import { wantsRelaunch } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/job-state.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { fromRfc3339, type Instant, type RunId } from '../domain/values.ts';
import { isHeadOurs, isOpenToAll, mayPost, type Poster, publicationsOf } from './publications.ts';
import type { Cause } from './reconcile.ts';

/** `owing`: something failed or was unreadable. */
export type Reconciled = 'settled' | 'owing';

/** The run's fingerprint when nothing was left to do. */
type Settled = Map<RunId, string>;

/** What a worker knows of one run. */
type Look = { readonly settled: Settled; readonly poster: Poster; readonly now: Instant };

export type Heard = {
  readonly triggers: readonly ReconcileRequest[];
  /** A workflow run that the record names may have ended. */
  readonly mayHaveEnded: boolean;
  /** Since the last look, a hold of the journal came or went. */
  readonly areHoldsNew: boolean;
  /** Its pushes change no gate. */
  readonly logbookBranch: string;
};

/** Whether a workflow run that the record names may have ended. */
export function tellsOfEnd(triggers: readonly ReconcileRequest[], dispatched: ReadonlySet<number>): boolean {
  return triggers.some(
    (one) =>
      one.kind === 'sweep' ||
      (one.kind === 'workflow-ended' && (one.workflowRun === undefined || dispatched.has(one.workflowRun))),
  );
}

/** What the triggers give cause for; empty if they do not concern the run. A comment concerns the run of its thread alone. */
export function causesOf(look: Look, state: RunState, heard: Heard): readonly Cause[] {
  const { triggers, logbookBranch } = heard;
  const { pull, issue } = state.proposal;
  const awaited = awaitedThread(state);
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
    // Elapsed time, or a push except to the logbook branch, may change the gates.
    if (one.kind === 'push' && one.ref !== `refs/heads/${logbookBranch}`) areGatesMoved = true;
  }
  areGatesMoved ||= isSweep;
  const isWaiting = state.submission === null || mayBeFixed(state);
  // A sweep retries commands that wait for a fact and checks for deleted comments.
  const isDue = (isWaiting && areGatesMoved) || (isSweep && hasUnanswered(state));
  if (isDue && !isOver(state)) return ['facts'];
  const causes: readonly Cause[] = isCommented ? ['comments'] : [];
  return isWide ? [...causes, ...causesOfRecord(look, state, heard.mayHaveEnded, areGatesMoved)] : causes;
}

/** Causes that no thread names: the clock, ended workflow runs, and what other processes have recorded. */
function causesOfRecord(
  { settled, poster, now }: Look,
  state: RunState,
  mayHaveEnded: boolean,
  isConfigMoved: boolean,
): readonly Cause[] {
  const isNew = !isSettled(settled, state);
  if (isOver(state)) {
    const age = now - (fromRfc3339(state.head.at) ?? 0);
    return isNew && age < limits.overLookMs ? ['facts'] : [];
  }
  // A launch that ended without a claim is not in the record.
  const isLaunching = state.submission === null && isLive(state);
  const isPursued = wantsRelaunch(state) || state.actions.some(({ ended }) => ended === null);
  if (mayHaveEnded && (isLaunching || isPursued)) return ['facts'];
  // Other processes publish their own events first. After the end, update the check run immediately; also publish a runner's refusal before the next sweep. Other posts of the watch can
  // wait.
  const isOurs = state.end !== null || isHeadOurs(state, poster);
  const isAged = isOpenToAll(state.head.at, now) || hasUnanswered(state);
  if (isNew && (isAged || isOurs)) return ['facts'];
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
  { settled, poster, now }: Look,
  before: RunState,
  state: RunState | null,
  { outcome, causes }: { readonly outcome: Reconciled; readonly causes: readonly Cause[] },
): void {
  // A turn that decided some things alone settles only a run that was settled before it.
  const isWhole = causes.includes('facts') || isSettled(settled, before);
  // Look again after another process had its time to publish.
  const isPosted =
    state !== null && publicationsOf(state).every((publication) => mayPost(publication, poster, now));
  if (isPosted && isWhole && outcome === 'settled') settled.set(before.run, standing(state));
  else settled.delete(before.run);
}

function isSettled(settled: Settled, state: RunState): boolean {
  return settled.get(state.run) === standing(state);
}

function hasUnanswered(state: RunState): boolean {
  return [...state.commands.values()].some((command) => command.answer === null);
}

/** Fingerprint of everything that can make a run pending. */
function standing(state: RunState): string {
  const open = [...state.commands.values()].filter(({ answer }) => answer === null);
  const cared = state.actions.flatMap(({ approvals, claim, ended }) => [
    approvals.length,
    claim?.seq,
    ended?.seq,
  ]);
  return [phaseOf(state), publicationsOf(state).length, open.length, state.gate?.seq, ...cared].join(' ');
}
