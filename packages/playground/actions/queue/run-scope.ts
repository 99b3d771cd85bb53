/**
 * The scope of expressions that are evaluated before a job has a runner: run-name, concurrency, and a job's `if` and
 * names.
 */

import type { Json } from '../../world/json.ts';
import { repoById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import type { Scope, StatusSoFar } from '../expressions/evaluate.ts';
import type { PlanNode, Run, RunPlan } from '../state-actions.ts';
import { githubContext } from './github-context.ts';
import type { PlannedJob } from './run-definitions.ts';

/** Contexts of the whole run: github, inputs, vars. */
export function runScope(world: World, run: Run, plan: RunPlan, serverUrl: string): Scope {
  return {
    status: 'success',
    hashFiles: null,
    contexts: {
      github: githubContext(world, run, plan, serverUrl),
      inputs: plan.inputs,
      vars: repoById(world, run.repoId).variables,
    },
  };
}

/** Contexts of one job before it starts: those of the run, the job's own inputs if it was called, and its needs. */
export function jobScope(base: Scope, run: Run, plan: RunPlan, planned: PlannedJob): Scope {
  const parent = planned.parent === null ? null : findNode(plan, planned.parent);
  return {
    ...base,
    status: statusSoFar(run, plan, planned),
    contexts: {
      ...base.contexts,
      ...(parent?.inputs == null ? {} : { inputs: parent.inputs }),
      needs: needsContext(plan, planned),
    },
  };
}

export function findNode(plan: RunPlan, key: string): PlanNode {
  const node = plan.nodes.find((one) => one.key === key);
  if (node === undefined) throw new Error(`run ${plan.runId} has no job ${key} in its plan`);
  return node;
}

/** The nodes that a job depends on: its siblings named in `needs`. */
export function listNeeds(plan: RunPlan, planned: PlannedJob): readonly PlanNode[] {
  return planned.definition.needs.map((need) => findNode(plan, siblingKey(planned, need)));
}

export function needsContext(plan: RunPlan, planned: PlannedJob): Json {
  return Object.fromEntries(
    planned.definition.needs.map((need) => {
      const node = findNode(plan, siblingKey(planned, need));
      return [need, { result: node.result ?? '', outputs: node.outputs }];
    }),
  );
}

function siblingKey(planned: PlannedJob, need: string): string {
  return planned.parent === null ? need : `${planned.parent}/${need}`;
}

/**
 * success() and failure() consider every ancestor, including those before a skipped job or a job that ran despite a
 * failure. So a job without `if:` is skipped when it needs a job that ran after a skipped one (docs: expressions,
 * failure(); actions/runner#2205).
 */
function statusSoFar(run: Run, plan: RunPlan, planned: PlannedJob): StatusSoFar {
  if (run.cancelRequested) return 'cancelled';
  const results = listAncestors(planned).map((key) => findNode(plan, siblingKey(planned, key)).result);
  if (results.includes('failure')) return 'failure';
  return results.every((result) => result === 'success') ? 'success' : 'skipped';
}

/** Keys of every job in the same file that a job depends on, directly or indirectly. */
function listAncestors({ definition, file }: PlannedJob): readonly string[] {
  const found = new Set<string>();
  const add = (keys: readonly string[]): void => {
    for (const key of keys) {
      if (found.has(key)) continue;
      found.add(key);
      add(file.jobs.find((job) => job.key === key)?.needs ?? []);
    }
  };
  add(definition.needs);
  return [...found];
}
