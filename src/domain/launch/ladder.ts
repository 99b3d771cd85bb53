/**
 * What the next attempt has otherwise than the one that failed, within what was approved: smaller settings, one more for each
 * attempt that ran out of memory, and machines that it does not get again. All of it follows from the record, so that who
 * decides and who carries out come to the same.
 */

import { type Failure, isOutOfMemory } from '../failure-class.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { failureOf } from './fingerprint.ts';
import { pastAttempt } from './next-attempt.ts';

/** Attempts of the manifest that is ordered now which are over, the last one too. */
function endedAlike(state: RunState): readonly PastAttempt[] {
  const last = pastAttempt(state);
  const all = last === null ? state.attempts : [...state.attempts, last];
  return all.filter(({ order }) => order.order.digest === state.order?.order.digest);
}

/** The smaller settings that the next attempt has, in their order; empty before any ran out of memory. */
export function reductionsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.reductions ?? [];
  return approved.slice(0, timesOutOfMemory(state));
}

/** Whether there is something smaller for the next attempt than the last one had. */
export function hasReductionLeft(state: RunState): boolean {
  const approved = state.order?.manifest?.envelope.reductions ?? [];
  return approved.length >= timesOutOfMemory(state);
}

function timesOutOfMemory(state: RunState): number {
  return endedAlike(state).filter((past) => isOutOfMemory(failureOf(past))).length;
}

/** What is the machine's own: the same job elsewhere may well go on. */
const OF_THE_MACHINE: readonly Failure[] = ['bad-node', 'stopped', 'stalled', 'infra-cluster'];

/** Somebody else has it now: the same job there would wait, or be sent away again. */
const LEFT: readonly Failure[] = [...OF_THE_MACHINE, 'preempted'];

/** Machines on which an attempt failed for what may be their own fault, by the engine's names for them. */
export function machinesToAvoid(state: RunState): readonly string[] {
  return [
    ...new Set(
      endedAlike(state).flatMap((past) => {
        const machine = past.end.engineDetails?.['machine'];
        return machine !== undefined && LEFT.includes(failureOf(past)) ? [String(machine)] : [];
      }),
    ),
  ];
}

/**
 * Whether another attempt of the manifest differs from this one in what it failed of: a smaller config, or a machine of its own
 * where each attempt has one.
 */
export function differsNext(state: RunState, failure: Failure): boolean {
  if (isOutOfMemory(failure)) return hasReductionLeft(state);
  const isRented = state.order?.manifest?.envelope.rental !== undefined;
  return isRented && OF_THE_MACHINE.includes(failure);
}
