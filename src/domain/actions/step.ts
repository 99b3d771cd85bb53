/** One call on the world outside, as data: what was consented to, and what a capability is good for. */

import type { MutationKind } from '../care/mutation.ts';

/** One call, as exactly as it will be made. */
export type ActionStep = {
  readonly does: MutationKind | 'submit-job' | 'stop-job' | 'destroy-machine';
  readonly command: readonly string[];
  /** The same call in other words, made only where the program of `command` could not be started at all. */
  readonly instead?: readonly string[];
};

/** Whether two steps are the same to the last argument, also in what is run where the first cannot start. */
export function isSameStep(a: ActionStep, b: ActionStep): boolean {
  const callsOf = ({ command, instead }: ActionStep): string => JSON.stringify([command, instead ?? null]);
  return a.does === b.does && callsOf(a) === callsOf(b);
}

/** Whether two lists make the same calls in the same order. */
export function areSameSteps(a: readonly ActionStep[], b: readonly ActionStep[]): boolean {
  const isSame = (one: ActionStep, other: ActionStep | undefined): boolean =>
    other !== undefined && isSameStep(one, other);
  return a.length === b.length && a.every((step, index) => isSame(step, b[index]));
}
