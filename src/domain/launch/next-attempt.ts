/**
 * What may follow a failed attempt (policy DF-26, DF-27). A fix on the run's branch is a new manifest of the same run. It is gated, shown
 * and approved again, then launched as the next attempt. response.ts handles bad nodes.
 */

import { type ActionRecord, listClaimedActions } from '../actions/action.ts';
import type { Failure } from '../failure-class.ts';
import { filterIncidents, type IncidentOf } from '../incidents.ts';
import { type IssuedOrder, isOver, type PastAttempt, type RolledBack, type RunState } from '../logbook/run-state.ts';
import type { Digest, Sha } from '../values.ts';
import type { Order } from './order.ts';

/** The newest submitted attempt if it failed, or null. A fix continues from it. */
export function lastFailure(state: RunState): PastAttempt | null {
  const { submission, end } = state;
  if (submission === null) return state.attempts.at(-1) ?? null;
  const now = lastEnded(state);
  return end?.status === 'FAILED' ? now : null;
}

/** The newest attempt as an entry for `attempts` if it has ended, otherwise null. */
export function lastEnded({
  order,
  submission,
  observation,
  firstEval,
  firstTracker,
  end,
  trace,
}: RunState): PastAttempt | null {
  if (order === null || submission === null || end === null) return null;
  const exact = observation?.stepIsExact === true ? trace : [];
  return { order, submission, observation, firstEval, firstTracker, end, trace: exact };
}

/**
 * The ended attempt that no job has followed yet, or null. Until a launcher claims the next order, people can still change what follows.
 */
export function endedAttemptWithoutSuccessor(state: RunState): PastAttempt | null {
  const { submission, order, attempts } = state;
  if (submission !== null) return lastEnded(state);
  return order?.status === 'claimed' ? null : (attempts.at(-1) ?? null);
}

/** The last attempt of the run that this run continues under a new identity, or null. */
export function attemptToContinue(
  { continues }: Pick<RunState['proposal'], 'continues'>,
  runs: readonly RunState[],
): PastAttempt | null {
  const old = runs.find(({ run }) => run === continues?.run);
  return old === undefined ? null : (lastEnded(old) ?? old.attempts.at(-1) ?? null);
}

/** The last observed step. The exact value may come from an old eval, because some logs round the others. */
export function highestStep({ end, observation }: Pick<PastAttempt, 'end' | 'observation'>): number | null {
  const seen = [end.lastStep, observation?.step ?? null].filter((step) => step !== null);
  return seen.length === 0 ? null : Math.max(...seen);
}

/** The largest step that any of these attempts reached or saved, or null. */
export function furthestStep(attempts: readonly Pick<RunState, 'end' | 'observation'>[]): number | null {
  const seen = attempts
    .flatMap(({ end, observation }) => [
      observation?.step,
      observation?.checkpointStep,
      end?.lastStep,
      end?.checkpointStep,
    ])
    .filter((step) => step != null);
  return seen.length === 0 ? null : Math.max(...seen);
}

/** The same failure before and after a fix. */
export type RepeatedFailure = { readonly attempt: number; readonly earlier: number; readonly signature: string };

/**
 * The newest failed attempt and an earlier attempt with the same signature but another manifest, or null. The fix did not help, so people
 * decide (policy DF-27).
 */
export function findRepeatedFailure(state: RunState): RepeatedFailure | null {
  const last = lastFailure(state);
  if (last === null) return null;
  for (const { order, submission, end } of state.attempts) {
    if (order.order.digest === last.order.order.digest) continue;
    const signature = end.signatures.find((one) => last.end.signatures.includes(one));
    if (signature !== undefined) return { attempt: last.submission.attempt, earlier: submission.attempt, signature };
  }
  return null;
}

/** The rollback requested after the newest failed attempt, or null. */
export function activeRollback(state: RunState): RolledBack | null {
  const { rollback } = state;
  return rollback !== null && rollback.attempt === lastFailure(state)?.submission.attempt ? rollback : null;
}

/** Whether a fix may be launched as the next attempt, once pushed and approved. */
export function canBeFixed(state: RunState): boolean {
  const { end, submission, stop } = state;
  // rule DF-26
  const hasFailed = submission !== null && end?.status === 'FAILED';
  const isNew = findRepeatedFailure(state) === null || activeRollback(state) !== null;
  return hasFailed && !isOver(state) && stop === null && isNew;
}

/** Whether the gates must run again: another commit than the launched one, or a rollback. */
export function isFixPushed(state: RunState, head: Sha): boolean {
  const launched = state.order?.order.commit;
  const isOther = head !== launched || state.gate?.commit !== launched || activeRollback(state) !== null;
  return canBeFixed(state) && isOther;
}

/** Whether the last gated manifest is a fix or a rollback that was not launched before. */
export function isFixEvaluated(state: RunState): boolean {
  const { gate, order } = state;
  if (gate === null || !canBeFixed(state)) return false;
  if (gate.commit === order?.order.commit && activeRollback(state) === null) return false;
  return gate.digest === null || !listLaunchedDigests(state).has(gate.digest);
}

/** Whether gates, card and approvals concern a launch in the future: the first attempt or a fix. */
export function isBeforeLaunch(state: RunState): boolean {
  return state.submission === null || isFixEvaluated(state);
}

function listLaunchedDigests({ attempts, order, submission }: RunState): ReadonlySet<Digest> {
  const orders: readonly (IssuedOrder | null)[] = [
    ...attempts.map((past) => past.order),
    submission === null ? null : order,
  ];
  return new Set(orders.flatMap((one) => (one === null ? [] : [one.order.digest])));
}

/**
 * Whether the next order may be for this manifest. Each manifest needs its own approval, so a launched manifest can return only by
 * reissuing its order or after a bad node (response.ts).
 */
export function isLaunchable(state: RunState, digest: Digest): boolean {
  if (state.submission !== null && !isFixEvaluated(state)) return false;
  const isOrderedAnew = state.submission === null && state.order?.order.digest === digest;
  return isOrderedAnew || !listLaunchedDigests(state).has(digest);
}

/** Record rule: why this order is not valid for a fix, or null. */
export function checkFixOrder(state: RunState, next: Order): string | null {
  if (!isLaunchable(state, next.digest)) return 'ordered a manifest again that was launched before';
  if (listClaimedActions(state.actions).length > 0) return 'ordered a fix while the cluster is being changed';
  return next.parent === undefined ? 'ordered a fix without the attempt that it goes on from' : null;
}

/** The run's state at its last attempt, without later gate evaluations that led to no launch. For texts about what ran. */
export function stateAtLastLaunch(state: RunState): RunState {
  const { submission, attempts } = state;
  const last = submission === null ? attempts.at(-1) : undefined;
  const back = last === undefined ? state : { ...state, ...last, attempts: attempts.slice(0, -1) };
  const { gate, order } = back;
  if (back.submission === null || gate === null || order === null) return back;
  const { digest, commit } = order.order;
  const { manifest } = order;
  return gate.commit === commit && gate.digest === digest
    ? back
    : { ...back, gate: { ...gate, digest, commit, manifest } };
}

/** End code of a VM deletion: the cluster replaced the machine. */
export const REPLACED_CODE = 'replaced';

/** The replaced node that allows another attempt, or null. */
export function findNodeReplacement(state: RunState): ActionRecord | null {
  const { end, submission, stop } = state;
  if (end?.status !== 'FAILED' || submission === null || stop !== null) return null;
  const found = state.actions.find(
    ({ proposal, evidence, ended }) =>
      proposal.change.kind === 'delete-tpu-vm' &&
      evidence.facts['attempt'] === submission.attempt &&
      ended?.outcome === 'done' &&
      ended.code === REPLACED_CODE,
  );
  return found ?? null;
}

/** A failed job without a diagnosis is `unknown`. */
export function failureOf({ end }: Pick<PastAttempt, 'end'>): Failure {
  return end.status === 'STOPPED' ? 'stopped' : (end.diagnosis?.class ?? 'unknown');
}

/** How often the approved manifest may restart after a failure of this kind. */
export function restartsFor(last: PastAttempt): number {
  const { restarts = 0, preemptions = restarts } = last.order.manifest?.envelope ?? {};
  return isPreempted(last) ? preemptions : restarts;
}

/**
 * Approved restarts minus the launches used; those after preemptions are counted apart if the manifest says so. While the job runs, the
 * larger rest counts. A pre-approved fix uses the budget of the manifest that allows it.
 */
export function restartsLeft(state: RunState): number {
  const { attempts, order } = state;
  const counted = [order?.order.digest, order?.order.preApprovedBy];
  const followed = attempts.filter((past) => counted.includes(past.order.order.digest));
  const { restarts = 0, preemptions } = order?.manifest?.envelope ?? {};
  // rule ML-32
  if (preemptions === undefined) return restarts - followed.length;
  const preempted = followed.filter(isPreempted).length;
  const [afterPreemption, afterOther] = [preemptions - preempted, restarts - (followed.length - preempted)];
  const last = lastEnded(state);
  if (last === null) return Math.max(afterPreemption, afterOther);
  return isPreempted(last) ? afterPreemption : afterOther;
}

function isPreempted(past: PastAttempt): boolean {
  return failureOf(past) === 'preempted';
}

/** The run's state in the attempt that this entry belongs to. */
export function stateAtIncident(state: RunState, seq: number): RunState {
  const past = state.attempts.find(({ submission, firstEval, firstTracker, end }) =>
    [submission.seq, firstEval?.seq, firstTracker?.seq, end.seq].includes(seq),
  );
  return past === undefined ? state : { ...state, ...past };
}

export type LaunchTrouble = IncidentOf<'launch-failed'> | IncidentOf<'launch-waiting'>;

/** The newest recorded problem with the dispatched launch of an unclaimed order, or null. */
export function findLaunchTrouble({ order, incidents }: RunState): LaunchTrouble | null {
  if (order === null || order.status !== 'open') return null;
  const troubles = [...filterIncidents(incidents, 'launch-failed'), ...filterIncidents(incidents, 'launch-waiting')];
  return (
    troubles.filter(({ detail }) => detail.orderDigest === order.digest).toSorted((a, b) => b.seq - a.seq)[0] ?? null
  );
}

/** Why the newest order failed before a claim, or null. */
export function launchFailureReason({ order, incidents }: RunState): string | null {
  if (order?.status !== 'failed') return null;
  const ended = [...filterIncidents(incidents, 'launch-failed'), ...filterIncidents(incidents, 'runner-refused')];
  return ended.findLast(({ detail }) => detail.orderDigest === order.digest)?.detail.why ?? null;
}
