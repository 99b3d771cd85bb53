/** One call that changes the outside world, as data. People consent to steps; a capability permits them. */

import type { ChangeStepKind } from './action.ts';

export type ActionStep = {
  readonly does: ChangeStepKind | 'submit-job' | 'stop-job' | 'destroy-machine';
  readonly command: readonly string[];
  /** Fallback, used only if the program of `command` could not be started. */
  readonly instead?: readonly string[];
};

/** Equal in all arguments, including the fallback. */
export function isSameStep(a: ActionStep, b: ActionStep): boolean {
  const callsOf = ({ command, instead }: ActionStep): string => JSON.stringify([command, instead ?? null]);
  return a.does === b.does && callsOf(a) === callsOf(b);
}

/** Equal steps in equal order. */
export function areSameSteps(a: readonly ActionStep[], b: readonly ActionStep[]): boolean {
  const isSame = (one: ActionStep, other: ActionStep | undefined): boolean =>
    other !== undefined && isSameStep(one, other);
  return a.length === b.length && a.every((step, index) => isSame(step, b[index]));
}
