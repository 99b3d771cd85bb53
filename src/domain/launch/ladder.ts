/**
 * What the next attempt changes within the approval: the smallest step that can help, then the next (policy VA, Autonomous Recovery
 * Policy). Depends only on the record, so control and runner agree.
 */

import { type Failure, isOutOfMemory, mayPassAgain, type Rung } from '../failure-class.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { failureOf } from './fingerprint.ts';
import { pastAttempt, reachedStep } from './next-attempt.ts';
import { reducedBy, repairedBy, type Started } from './reduction.ts';

/** All ended attempts of the currently ordered manifest. */
function endedAlike(state: RunState): readonly PastAttempt[] {
  const last = pastAttempt(state);
  const all = last === null ? state.attempts : [...state.attempts, last];
  return all.filter(({ order }) => order.order.digest === state.order?.order.digest);
}

/** The approved reductions for the next attempt, in order: one per attempt that ran out of memory. */
export function reductionsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.reductions ?? [];
  // rule VA-21
  return approved.slice(0, timesOf(state, isOutOfMemory));
}

/** Whether the running attempt uses a smaller config than the one before, so its losses are not comparable. */
export function trainsSmaller(state: RunState): boolean {
  const before = { ...state, attempts: state.attempts.slice(0, -1) };
  return reductionsTaken(state).length > reductionsTaken(before).length;
}

/** Ended attempts with the manifest and size of the running attempt. */
export function trainedAlike(state: RunState): readonly PastAttempt[] {
  const { attempts } = state;
  const taken = (before: number): number =>
    reductionsTaken({ ...state, attempts: attempts.slice(0, before) }).length;
  return attempts.filter(
    ({ order }, index) =>
      order.order.digest === state.order?.order.digest && taken(index) === taken(attempts.length),
  );
}

/** The approved repairs for the next attempt: one per attempt that failed on a dependency. */
export function repairsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.repairs ?? [];
  return approved.slice(0, timesOf(state, isOfWhatItRunsOn));
}

/** The approved job with the reductions and repairs that earlier failures require. */
export function onRung<Given extends Started>(state: RunState, approved: Given): Given {
  return repairedBy(reducedBy(approved, reductionsTaken(state)), repairsTaken(state));
}

function timesOf(state: RunState, isSuch: (failure: Failure) => boolean): number {
  return endedAlike(state).filter((past) => isSuch(failureOf(past))).length;
}

function isOfWhatItRunsOn(failure: Failure): boolean {
  return failure === 'dependency';
}

/** Faults of the machine: the same job may succeed on another one. */
const OF_THE_MACHINE: readonly Failure[] = ['bad-node', 'stopped', 'stalled', 'infra-cluster'];

/** A preempted machine belongs to another customer now; the job would wait there. */
const LEFT: readonly Failure[] = [...OF_THE_MACHINE, 'preempted'];

/** Earlier attempts with the newest one's failure that got at least as far: the steps since did not help. */
function inVain(state: RunState): readonly PastAttempt[] {
  const ended = endedAlike(state);
  const last = ended.at(-1);
  if (last === undefined) return [];
  const reached = reachedStep(last) ?? 0;
  return ended
    .slice(0, -1)
    .filter((past) => failureOf(past) === failureOf(last) && (reachedStep(past) ?? 0) >= reached);
}

/** Machines (by the engine's names) on which an attempt failed in a way that may be their fault. */
export function machinesToAvoid(state: RunState): readonly string[] {
  const left = endedAlike(state).filter((past) => LEFT.includes(failureOf(past)));
  const again = inVain(state);
  const last = again.length === 0 ? [] : endedAlike(state).slice(-1);
  const machines = [...left, ...again, ...last].map(({ end }) => end.engineDetails?.['machine']);
  return [...new Set(machines.flatMap((machine) => (machine === undefined ? [] : [String(machine)])))];
}

/**
 * The ladder's step for the newest failure, or null if every remaining step would repeat it. With one machine per attempt, a rerun that did
 * not help is followed by one rerun on another machine.
 */
export function rungFor(state: RunState, failure: Failure): Rung | null {
  const { envelope } = state.order?.manifest ?? {};
  const isLeft = (approved: readonly string[], isSuch: (one: Failure) => boolean): boolean =>
    approved.length >= timesOf(state, isSuch);
  // rule VA-24
  if (isOutOfMemory(failure)) return isLeft(envelope?.reductions ?? [], isOutOfMemory) ? 'reduce' : null;
  if (isOfWhatItRunsOn(failure)) return isLeft(envelope?.repairs ?? [], isOfWhatItRunsOn) ? 'repair' : null;
  if (envelope?.rental === undefined) return null;
  if (OF_THE_MACHINE.includes(failure)) return 'other-machine';
  if (!mayPassAgain(failure)) return null;
  const times = inVain(state).length;
  // rule VA-23
  return times === 0 ? 'rerun' : times === 1 ? 'other-machine' : null;
}
