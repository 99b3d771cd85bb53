/** Problems in a workflow call for which GitHub does not start the run at all (docs: reusing workflows). */

import { actions } from '../../limits/limits.ts';
import type { WorkflowPermissions } from '../workflow/permissions.ts';
import type { JobDefinition, WorkflowFile } from '../workflow/workflow-file.ts';

/** Null when the called file can run from there. `jobs`: the number of jobs that the run has so far. */
export function findCallProblem(
  call: NonNullable<JobDefinition['call']>,
  file: WorkflowFile | null,
  depth: number,
  jobs: number,
): string | null {
  const { uses } = call;
  if (file === null) return `workflow ${uses} was not found`;
  if (file.problems.length > 0) return file.problems.join('; ');
  if (file.triggers.call === null) return `workflow ${uses} has no on.workflow_call`;
  if (file.concurrency !== null)
    return `the playground does not know concurrency of a called workflow (${uses}); its jobs may have their own`;
  if (depth >= actions.callDepth) return `workflows call each other more than ${actions.callDepth} deep`;
  if (jobs > actions.jobsPerRun) return `more than ${actions.jobsPerRun} jobs`;
  return findSecretProblem(call.secrets, file.triggers.call.secrets);
}

function findSecretProblem(
  given: 'inherit' | Readonly<Record<string, string>>,
  declared: Readonly<Record<string, boolean>>,
): string | null {
  if (given === 'inherit') return null;
  const known = new Set(Object.keys(declared).map((name) => name.toLowerCase()));
  const names = Object.keys(given);
  const strange = names.find((name) => !known.has(name.toLowerCase()));
  if (strange !== undefined) return `Invalid secret, ${strange} is not defined in the referenced workflow.`;
  const passed = new Set(names.map((name) => name.toLowerCase()));
  const missing = Object.entries(declared).find(([name, required]) => required && !passed.has(name.toLowerCase()));
  return missing === undefined ? null : `Secret ${missing[0]} is required, but not provided while calling.`;
}

/**
 * A called job may request fewer permissions than its caller has, never more. If it requests more, no job of the run
 * starts.
 */
export function findPermissionProblems(
  key: string,
  requested: WorkflowPermissions | null,
  ceiling: WorkflowPermissions,
): readonly string[] {
  return Object.entries(requested ?? {}).flatMap(([name, level]) => {
    const allowed = ceiling[name];
    if (allowed === 'write' || allowed === level) return [];
    const plain = name.replaceAll('_', '-');
    return [
      `The nested job '${key}' is requesting '${plain}: ${level}', but is only allowed '${plain}: ${allowed ?? 'none'}'.`,
    ];
  });
}
