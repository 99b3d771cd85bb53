/** Finds the actions that steps use before they run: those of the job's steps, and those inside composite actions. */

import { actions } from '../../limits/limits.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { ActionUse } from './action-parts.ts';
import { type ActionSources, type ResolvedAction, resolveLocal, resolveRemote } from './resolve-action.ts';
import { stepTitle } from './step-title.ts';

/** `depth`: the number of composite actions around the steps. A workspace action is unknown until its step runs. */
export async function remoteUses(
  steps: readonly StepDefinition[],
  sources: ActionSources,
  depth: number,
): Promise<ReadonlyMap<StepDefinition, ActionUse>> {
  if (depth > actions.compositeDepth)
    throw new WorkflowFault(`Composite action depth exceeded max depth ${actions.compositeDepth}`);
  const found = new Map<StepDefinition, ActionUse>();
  for (const step of steps) {
    const action = step.uses === null ? null : await resolveRemote(step.uses, sources);
    if (action !== null) found.set(step, await createUse(step, action, sources, depth));
  }
  return found;
}

/** A workspace action, which a checkout step must have created before. */
export async function localUse(
  step: StepDefinition,
  workspace: string,
  sources: ActionSources,
  depth: number,
): Promise<ActionUse> {
  return createUse(step, await resolveLocal(step.uses ?? '', workspace, sources), sources, depth);
}

async function createUse(
  step: StepDefinition,
  action: ResolvedAction,
  sources: ActionSources,
  depth: number,
): Promise<ActionUse> {
  const runs = action.manifest?.runs;
  const parts =
    runs?.kind === 'composite' && runs.steps.length > 0
      ? await remoteUses(runs.steps, sources, depth + 1)
      : new Map<StepDefinition, ActionUse>();
  return { action, step, title: stepTitle(step), inputs: {}, env: {}, state: {}, parts, begun: [] };
}
