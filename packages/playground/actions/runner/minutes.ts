/** Time limits in a workflow file. */

import { evaluateValue } from '../expressions/evaluate.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type JobFrame, stepScope } from './job-state.ts';

/** `timeout-minutes` as a number; null when it is absent. Throws WorkflowFault when it is not a number. */
export function timeoutMinutes(frame: JobFrame, given: number | string | null): number | null {
  if (given === null) return null;
  const minutes = Number(typeof given === 'number' ? given : evaluateValue(given, stepScope(frame)));
  if (!(minutes > 0)) throw new WorkflowFault(`timeout-minutes: '${given}' is not a positive number`);
  return minutes;
}
