/** The whole environment of a step, and the name by which it finds itself there. */

import type { StepDefinition } from '../workflow/job-schema.ts';
import type { ActionUse } from './action-parts.ts';
import { isFixedName } from './command-files.ts';
import { jobEnvironment, serviceVariables, stepVariables } from './environment.ts';
import type { JobFrame } from './job-state.ts';

/** The runner's, the workflow's and the job's, what earlier steps set, its own; `inside`: the composite action whose step it is. */
export function environmentOf(
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
    ...(use !== null && use.action.manifest !== null && !use.action.isOurs
      ? serviceVariables(frame.work)
      : {}),
    PATH: path,
  };
}

/** The step's id, or what the runner calls a step without one: `__run`, `__owner_name`, the second of its kind `…_2`. */
export function actionName(steps: readonly StepDefinition[], step: StepDefinition): string {
  if (step.id !== null) return step.id;
  const plain = ({ uses }: StepDefinition): string =>
    uses === null ? '__run' : `__${uses.replace(/@.*$/, '').replaceAll(/\W/g, '_')}`;
  const same = steps.filter((one) => one.id === null && plain(one) === plain(step));
  const at = same.indexOf(step);
  return at > 0 ? `${plain(step)}_${at + 1}` : plain(step);
}
