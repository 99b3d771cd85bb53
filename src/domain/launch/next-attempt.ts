/**
 * What may follow an attempt that failed (policy DF-26, DF-27): a fix on the run's own branch is a new manifest of the same
 * run, gated, shown and approved anew, and launched as its next attempt. A bad node is another matter: see relaunch.ts.
 */

import { underWay } from '../care/mutation-state.ts';
import type { Digest, Sha } from '../ids.ts';
import {
  type IssuedOrder,
  isOver,
  type PastAttempt,
  type RolledBack,
  type RunState,
} from '../logbook/run-state.ts';
import type { Order } from './order.ts';

/** The newest attempt that was submitted, where it failed: what a fix goes on from; null where there is none. */
export function failedAttempt(state: RunState): PastAttempt | null {
  const { submission, end } = state;
  if (submission === null) return state.attempts.at(-1) ?? null;
  const now = pastAttempt(state);
  return end?.status === 'FAILED' ? now : null;
}

/** The attempt that is over, for the list of the past; null where it is not. */
export function pastAttempt({
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
 * The attempt that is over and that no job has followed; null where there is none. Another one may be ordered: until a launcher
 * has claimed that, people can still say that it goes on otherwise.
 */
export function unfollowedAttempt(state: RunState): PastAttempt | null {
  const { submission, order, attempts } = state;
  if (submission !== null) return pastAttempt(state);
  return order?.status === 'claimed' ? null : (attempts.at(-1) ?? null);
}

/** The last attempt of the run that another one goes on from under an identity of its own; null where it goes on from none, or nothing of that is recorded. */
export function continuedAttempt(
  { continues }: Pick<RunState['proposal'], 'continues'>,
  runs: readonly RunState[],
): PastAttempt | null {
  const old = runs.find(({ run }) => run === continues?.run);
  return old === undefined ? null : (pastAttempt(old) ?? old.attempts.at(-1) ?? null);
}

/** The last step that was seen of an attempt: the exact one may be an eval's of long before, where a log rounds the others. */
export function reachedStep({ end, observation }: Pick<PastAttempt, 'end' | 'observation'>): number | null {
  const seen = [end.lastStep, observation?.step ?? null].filter((step) => step !== null);
  return seen.length === 0 ? null : Math.max(...seen);
}

/** The last step that any of these attempts was seen at, or had saved; null where nobody saw one. */
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
export type Repeated = { readonly attempt: number; readonly earlier: number; readonly signature: string };

/**
 * Whether the newest attempt failed as an earlier one with another manifest did: what was changed in between has not helped,
 * and it goes to people (policy DF-27). A failure that no signature knows is told apart by nobody but them.
 */
export function repeatedFailure(state: RunState): Repeated | null {
  const last = failedAttempt(state);
  if (last === null) return null;
  for (const { order, submission, end } of state.attempts) {
    if (order.order.digest === last.order.order.digest) continue;
    const signature = end.signatures.find((one) => last.end.signatures.includes(one));
    if (signature !== undefined)
      return { attempt: last.submission.attempt, earlier: submission.attempt, signature };
  }
  return null;
}

/** What a person has said that the run goes back to after the attempt that failed last; null where nobody has. */
export function rollbackOf(state: RunState): RolledBack | null {
  const { rollback } = state;
  return rollback !== null && rollback.attempt === failedAttempt(state)?.submission.attempt ? rollback : null;
}

/** Whether a fix of the attempt that has just failed may be launched as the next one, once it is pushed and approved. */
export function mayBeFixed(state: RunState): boolean {
  const { end, submission, stop } = state;
  // rule DF-26
  const hasFailed = submission !== null && end?.status === 'FAILED';
  const isNew = repeatedFailure(state) === null || rollbackOf(state) !== null;
  return hasFailed && !isOver(state) && stop === null && isNew;
}

/** Whether there is something else to gate than what failed: the branch is, or was when the gates were recorded last, on another commit, or a person went back to a checkpoint. */
export function isFixPushed(state: RunState, head: Sha): boolean {
  const launched = state.order?.order.commit;
  const isOther = head !== launched || state.gate?.commit !== launched || rollbackOf(state) !== null;
  return mayBeFixed(state) && isOther;
}

/** Whether what was gated last is a fix or a way back: another commit or checkpoint, and no manifest that was launched before. */
export function isFixGated(state: RunState): boolean {
  const { gate, order } = state;
  if (gate === null || !mayBeFixed(state)) return false;
  if (gate.commit === order?.order.commit && rollbackOf(state) === null) return false;
  return gate.digest === null || !launchedDigests(state).has(gate.digest);
}

/** Whether gates, card and approvals are about something that was not launched yet: the first attempt, or a fix. */
export function isBeforeLaunch(state: RunState): boolean {
  return state.submission === null || isFixGated(state);
}

/** What the run's attempts launched. */
function launchedDigests({ attempts, order, submission }: RunState): ReadonlySet<Digest> {
  const orders: readonly (IssuedOrder | null)[] = [
    ...attempts.map((past) => past.order),
    submission === null ? null : order,
  ];
  return new Set(orders.flatMap((one) => (one === null ? [] : [one.order.digest])));
}

/**
 * Whether an order of this manifest may be the next one: each manifest is launched on its own approval, so that one which was
 * launched before comes back only where its own order is given anew, or after a bad node (relaunch.ts).
 */
export function isLaunchable(state: RunState, digest: Digest): boolean {
  if (state.submission !== null && !isFixGated(state)) return false;
  const isOrderedAnew = state.submission === null && state.order?.order.digest === digest;
  return isOrderedAnew || !launchedDigests(state).has(digest);
}

/** Why this order may not be that of a fix, or null: the rule of the record. */
export function fixRule(state: RunState, next: Order): string | null {
  if (!isLaunchable(state, next.digest)) return 'ordered a manifest again that was launched before';
  if (underWay(state.mutations).length > 0) return 'ordered a fix while the cluster is being changed';
  return next.parent === undefined ? 'ordered a fix without the attempt that it goes on from' : null;
}

/**
 * The run as its last attempt left it: what was gated for a next one and not launched is taken back. For whatever tells of
 * what ran.
 */
export function asLaunched(state: RunState): RunState {
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
