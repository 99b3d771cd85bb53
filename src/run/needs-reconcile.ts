/** Which runs a trigger is worth reading threads for: what is owed can often be told from the record alone, at no request. */

import type { Instant, RunId } from '../domain/ids.ts';
import { mayBeFixed } from '../domain/launch/next-attempt.ts';
import { wantsRelaunch } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { lostDeliveries } from './decide-deliveries.ts';
import { decideMissingCluster } from './decide-missing-cluster.ts';
import { decideReminder, unsealedClosing } from './decide-notices.ts';
import { decideOffer, watchEndReminder } from './decide-ownership.ts';
import { decidePages } from './decide-pages.ts';
import { isStopOwed } from './decide-stop.ts';
import { decideUpdate } from './decide-update.ts';
import { isWatchOwed } from './decide-watch.ts';
import type { LabConfig } from './lane-scope.ts';
import { isHeadOurs, publicationsOf } from './publications.ts';
import { configFor } from './run-config.ts';
import { fixerAsked } from './slip-to-mend.ts';
import type { AttemptCache } from './step.ts';

/** `said`: settled, and nobody else owes its threads anything; `owing`: something failed or could not be read. */
export type Reconciled = 'settled' | 'said' | 'owing';

/** What a worker knows of the runs that it looked at. */
export type Looks = {
  readonly now: () => Instant;
  readonly memories: { readonly of: (run: string) => AttemptCache };
  /** How a run stood when nothing more could be done for it, and until when that is so (null = until it changes). */
  readonly settled: Map<RunId, { readonly standing: string; readonly untilMs: number | null }>;
  /** The holds of the journal when the runs were last looked at. */
  holds: string;
  /** Issues in which a gate waited for somebody to write when the runs were last looked at; null before the first look. */
  awaited: ReadonlySet<number> | null;
};

/** What came to a worker, with what holds back runs now, and the config, which names the branch whose pushes move no gate. */
export type Heard = {
  readonly triggers: readonly ReconcileRequest[];
  readonly holds: string;
  readonly config: LabConfig;
};

/** Whether a workflow run may have ended since the last trigger. */
export function tellsOfEnd(triggers: readonly ReconcileRequest[]): boolean {
  return triggers.some(({ kind }) => kind === 'workflow-ended' || kind === 'sweep');
}

/** Whether the run's threads are read for these triggers. */
export function needsReconcile(looks: Looks, state: RunState, heard: Heard): boolean {
  const { triggers } = heard;
  const threads = [state.proposal.pull, state.proposal.issue];
  if (
    triggers.some(
      (trigger) =>
        (trigger.kind === 'comment' || trigger.kind === 'thread') && threads.includes(trigger.thread),
    )
  )
    return true;
  const awaited = awaitedThread(state);
  if (triggers.some((trigger) => trigger.kind === 'remark' && trigger.thread === awaited)) return true;
  // A command that waits for a fact, or whose comment is gone, is asked about again though nobody writes.
  if (triggers.some((trigger) => trigger.kind === 'sweep') && hasUnanswered(state) && !isOver(state))
    return true;
  const now = looks.now();
  if (isOver(state)) {
    const age = now - (fromRfc3339(state.head.at) ?? 0);
    return age < limits.overLookMs && !isSettled(looks, state, now);
  }
  // A launch that ended without a claim left nothing in the record.
  if (
    state.submission === null &&
    isLive(state) &&
    triggers.some((trigger) => trigger.kind === 'workflow-ended')
  )
    return true;
  if (
    (state.submission === null || mayBeFixed(state)) &&
    (looks.holds !== heard.holds || triggers.some((trigger) => mayMoveGates(heard, trigger)))
  )
    return true;
  if (decideMissingCluster(state, heard.config) !== null) return true;
  const config = configFor(heard.config, state);
  if (decidePages(state, config, now).length > 0 || lostDeliveries(state, now).length > 0) return true;
  if (decideOffer(state, now) !== null || watchEndReminder(state, config, now) !== null) return true;
  if (decideUpdate(state, config, now) !== null) return true;
  if (decideReminder(state, config, now) !== null || unsealedClosing(state, config, now) !== null)
    return true;
  if (isWatchOwed(state, now) || isStopOwed(state, now)) return true;
  const mayHaveEnded = tellsOfEnd(triggers);
  if (mayHaveEnded && fixerAsked(state, config) !== null) return true;
  if (mayHaveEnded && (wantsRelaunch(state) || state.mutations.some(({ ended }) => ended === null)))
    return true;
  // Where the watch has recorded the end, the check run says it at once: what the watch tells itself can wait.
  // A refusal of the runner is not left to the next sweep.
  const isOurs = state.end !== null || isHeadOurs(state, looks.memories.of(state.run));
  return !isSettled(looks, state, now) && (isAged(state, now) || isOurs);
}

/** The issue in which a gate of the run waits for somebody to write; null: it waits for nobody's plain words. */
export function awaitedThread(state: RunState): number | null {
  const isAwaited = state.gate?.verdicts.some(
    ({ gate, outcome }) => gate === 'issue-updated' && outcome !== 'pass',
  );
  return isAwaited === true && !isOver(state) ? state.proposal.issue : null;
}

/** Remembers how a run stands after a look; an outcome that is owed leaves nothing to rely on. */
export function noteReconciled(
  looks: Looks,
  run: RunId,
  state: RunState | undefined,
  outcome: Reconciled,
): void {
  if (state === undefined || outcome === 'owing') {
    looks.settled.delete(run);
    return;
  }
  // What another process has still to say is nothing to look at before its time is over.
  const isAll = outcome === 'said' || isMineToSay(looks, state);
  const untilMs = isAll ? null : looks.now() + limits.publishGraceMs;
  looks.settled.set(run, { standing: standing(state), untilMs });
}

function isSettled(looks: Looks, state: RunState, nowMs: number): boolean {
  const settled = looks.settled.get(state.run);
  if (settled === undefined || settled.standing !== standing(state)) return false;
  return settled.untilMs === null || nowMs < settled.untilMs;
}

/** Whether the gates of a waiting run may answer otherwise: a branch moved that is not the record itself, or time passed. */
function mayMoveGates({ config }: Heard, trigger: ReconcileRequest): boolean {
  if (trigger.kind === 'push') return trigger.ref !== `refs/heads/${config.logbookBranch}`;
  return trigger.kind === 'sweep';
}

/** What other processes' events owe is theirs to publish for a while. */
function isAged(state: RunState, now: number): boolean {
  return now - (fromRfc3339(state.head.at) ?? 0) >= limits.publishGraceMs || hasUnanswered(state);
}

function hasUnanswered(state: RunState): boolean {
  return [...state.commands.values()].some((command) => command.answer === null);
}

/** Whether everything that the run owes was ours to publish by now; what another process still may say is looked at again. */
function isMineToSay(looks: Looks, state: RunState): boolean {
  const { appended, speaksFor } = looks.memories.of(state.run);
  const now = looks.now();
  return publicationsOf(state).every(
    (publication) =>
      appended.has(publication.seq) ||
      speaksFor?.includes(publication.role) === true ||
      now - (fromRfc3339(publication.at) ?? 0) >= limits.publishGraceMs,
  );
}

/** What of a run can owe something: its phase, its publications, and what is unanswered. */
function standing(state: RunState): string {
  const open = [...state.commands.values()].filter((command) => command.answer === null).length;
  const cared = state.mutations.map(({ consents, begun, ended }) => [
    consents.length,
    begun?.seq,
    ended?.seq,
  ]);
  return `${phaseOf(state)} ${publicationsOf(state).length} ${open} ${state.gate?.seq ?? 0} ${cared.join(' ')}`;
}
