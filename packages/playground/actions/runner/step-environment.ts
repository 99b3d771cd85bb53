/** The complete environment of a step, and the name of the step in it. */

import type { StepDefinition } from '../workflow/job-schema.ts';
import type { ActionUse } from './action-parts.ts';
import { isFixedName } from './command-files.ts';
import { jobEnvironment, serviceVariables, stepVariables } from './environment.ts';
import type { JobFrame } from './job-state.ts';

/**
 * Merges the variables of the runner, workflow, job, earlier steps and the step itself. `inside`: the composite action
 * that contains the step.
 */
export function stepEnvironment(
  frame: JobFrame,
  use: ActionUse | null,
  stepEnv: Readonly<Record<string, string>>,
  inside: ActionUse | null = null,
): Record<string, string> {
  const base = jobEnvironment(frame.work, frame.places);
  const identity = stepVariables({
    action: frame.state.action,
    actionPath: (use ?? inside)?.action.directory ?? null,
    actionRepository: use?.action.repository ?? null,
    actionRef: use?.action.ref ?? null,
  });
  const path = [...frame.state.paths, base['PATH'] ?? process.env['PATH'] ?? '/usr/bin:/bin'].join(':');
  const fixed = Object.entries(base).filter(([name]) => isFixedName(name));
  return {
    ...base,
    ...frame.state.env,
    ...stepEnv,
    ...Object.fromEntries(fixed),
    ...identity,
    ...(use !== null && use.action.manifest !== null && !use.action.isOurs ? serviceVariables(frame.work) : {}),
    PATH: path,
  };
}

/**
 * The step's id, or the runner's name for a step without one: `__run`, `__owner_name`, with the suffix `_2` for the
 * second.
 */
export function actionName(steps: readonly StepDefinition[], step: StepDefinition): string {
  if (step.id !== null) return step.id;
  const plain = ({ uses }: StepDefinition): string =>
    uses === null ? '__run' : `__${uses.replace(/@.*$/, '').replaceAll(/\W/g, '_')}`;
  const same = steps.filter((one) => one.id === null && plain(one) === plain(step));
  const at = same.indexOf(step);
  return at > 0 ? `${plain(step)}_${at + 1}` : plain(step);
}
