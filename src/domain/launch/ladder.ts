/**
 * What the next attempt has otherwise than the one that failed, within what was approved: the smallest step that can help, one
 * step further where the step before has not (policy VA, Autonomous Recovery Policy). All of it follows from the record, so that
 * who decides and who carries out come to the same.
 */

import { type Failure, isOutOfMemory, mayPassAgain, type Rung } from '../failure-class.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { failureOf } from './fingerprint.ts';
import { pastAttempt, reachedStep } from './next-attempt.ts';
import { reducedBy, type Started } from './reduction.ts';
import { repairedBy } from './repair.ts';

/** Attempts of the manifest that is ordered now which are over, the last one too. */
function endedAlike(state: RunState): readonly PastAttempt[] {
  const last = pastAttempt(state);
  const all = last === null ? state.attempts : [...state.attempts, last];
  return all.filter(({ order }) => order.order.digest === state.order?.order.digest);
}

/** The smaller settings that the next attempt has, in their order: one more for each that ran out of memory. */
export function reductionsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.reductions ?? [];
  // rule VA-21
  return approved.slice(0, timesOf(state, isOutOfMemory));
}

/** Whether the newest attempt, which is not over, trains with something smaller than the one before: its steps have other losses. */
export function trainsSmaller(state: RunState): boolean {
  const before = { ...state, attempts: state.attempts.slice(0, -1) };
  return reductionsTaken(state).length > reductionsTaken(before).length;
}

/** Attempts that are over and had the manifest and the size of the newest, which is not. */
export function trainedAlike(state: RunState): readonly PastAttempt[] {
  const { attempts } = state;
  const taken = (before: number): number =>
    reductionsTaken({ ...state, attempts: attempts.slice(0, before) }).length;
  return attempts.filter(
    ({ order }, index) =>
      order.order.digest === state.order?.order.digest && taken(index) === taken(attempts.length),
  );
}

/** The repairs that the next attempt has: one more for each that died of what it ran on. */
export function repairsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.repairs ?? [];
  return approved.slice(0, timesOf(state, isOfWhatItRunsOn));
}

/** What was approved, with everything that the attempts before have made necessary. */
export function onRung<Given extends Started>(state: RunState, approved: Given): Given {
  return repairedBy(reducedBy(approved, reductionsTaken(state)), repairsTaken(state));
}

function timesOf(state: RunState, isSuch: (failure: Failure) => boolean): number {
  return endedAlike(state).filter((past) => isSuch(failureOf(past))).length;
}

function isOfWhatItRunsOn(failure: Failure): boolean {
  return failure === 'dependency';
}

/** What is the machine's own: the same job elsewhere may well go on. */
const OF_THE_MACHINE: readonly Failure[] = ['bad-node', 'stopped', 'stalled', 'infra-cluster'];

/** Somebody else has it now: the same job there would wait, or be sent away again. */
const LEFT: readonly Failure[] = [...OF_THE_MACHINE, 'preempted'];

/** Attempts before the newest that failed as it did and beyond which it has not come: what was done since has not helped. */
function inVain(state: RunState): readonly PastAttempt[] {
  const ended = endedAlike(state);
  const last = ended.at(-1);
  if (last === undefined) return [];
  const reached = reachedStep(last) ?? 0;
  return ended
    .slice(0, -1)
    .filter((past) => failureOf(past) === failureOf(last) && (reachedStep(past) ?? 0) >= reached);
}

/** Machines on which an attempt failed for what may be their own fault, by the engine's names for them. */
export function machinesToAvoid(state: RunState): readonly string[] {
  const left = endedAlike(state).filter((past) => LEFT.includes(failureOf(past)));
  const again = inVain(state);
  const last = again.length === 0 ? [] : endedAlike(state).slice(-1);
  const machines = [...left, ...again, ...last].map(({ end }) => end.engineDetails?.['machine']);
  return [...new Set(machines.flatMap((machine) => (machine === undefined ? [] : [String(machine)])))];
}

/**
 * The step that the ladder has for what the newest attempt failed of; null: none that would be something else than what failed.
 * Where each attempt has a machine of its own, the same again that has not helped is followed by the same elsewhere, once.
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
