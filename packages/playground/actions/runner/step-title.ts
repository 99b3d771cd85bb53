/** The title of a step on the page and in the log. */

import { evaluateText } from '../expressions/evaluate.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type JobFrame, stepScope } from './job-state.ts';

/** The name as written, else `Run` and the first line of the script or the action. */
export function stepTitle(step: StepDefinition): string {
  if (step.name !== null) return step.name;
  return describeStep(step);
}

/** The title with its expressions evaluated. If that fails, the title as written. */
export function shownTitle(step: StepDefinition, frame: JobFrame): string {
  const title = stepTitle(step);
  if (step.name === null) return title;
  try {
    return evaluateText(title, stepScope(frame));
  } catch (error) {
    if (error instanceof WorkflowFault) return title;
    throw error;
  }
}

/** `Run …`: the action, or the first line of the script. */
export function describeStep(step: StepDefinition): string {
  return `Run ${(step.uses ?? step.run ?? '').trim().split('\n')[0] ?? ''}`;
}
