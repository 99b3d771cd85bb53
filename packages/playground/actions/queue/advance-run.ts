/** Advances a run: decides jobs whose `needs` have ended, folds called workflows, and ends a run without open jobs. */

import { repoById } from '../../world/lookup.ts';
import { evaluateText } from '../expressions/evaluate.ts';
import type { PlanNode, Run } from '../state-actions.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { decideJob } from './decide-job.ts';
import type { Engine } from './engine.ts';
import { findPlan, updateNode } from './plan-rows.ts';
import { type PlannedJob, readDefinitions } from './run-definitions.ts';
import { completeRun } from './run-rows.ts';
import { findNode, jobScope, listNeeds, runScope } from './run-scope.ts';

/** Does everything that can be done now without a runner. Ends the run when no job is left. */
export async function advanceRun(engine: Engine, runId: number): Promise<void> {
  const { world } = engine;
  const run = world.state.runs[runId];
  if (run === undefined || run.status === 'completed' || run.status === 'pending') return;
  const plan = findPlan(world, runId);
  const { jobs } = await readDefinitions(engine.files, repoById(world, run.repoId), plan.workflowSha, run.path);
  // Every round decides at least one job or is the last one.
  for (let round = 0; round <= plan.nodes.length; round += 1) {
    let changed = false;
    for (const planned of jobs) {
      if (await advanceJob(engine, runId, planned, jobs)) changed = true;
    }
    if (!changed) break;
  }
  const { nodes } = findPlan(world, runId);
  if (nodes.every((node) => node.state === 'done')) {
    await completeRun(world, runId, runConclusion(world.state.runs[runId] ?? run, nodes, jobs));
  }
}

async function advanceJob(
  engine: Engine,
  runId: number,
  planned: PlannedJob,
  jobs: readonly PlannedJob[],
): Promise<boolean> {
  const { world } = engine;
  const plan = findPlan(world, runId);
  const node = findNode(plan, planned.key);
  if (node.state === 'called') return finishCalledWorkflow(engine, runId, planned, jobs);
  if (node.state !== 'open') return false;
  const parent = planned.parent === null ? null : findNode(plan, planned.parent);
  if (parent?.state === 'done') {
    // The calling job was skipped or failed, so the called jobs get the same result.
    updateNode(world, runId, planned.key, { state: 'done', result: parent.result });
    return true;
  }
  if (parent !== null && parent.state !== 'called') return false;
  if (listNeeds(plan, planned).some((need) => need.state !== 'done')) return false;
  await decideJob(engine, runId, planned);
  return true;
}

/** A calling job ends when every called job has ended. Its outputs come from `on.workflow_call.outputs`. */
function finishCalledWorkflow(
  engine: Engine,
  runId: number,
  planned: PlannedJob,
  jobs: readonly PlannedJob[],
): boolean {
  const { world } = engine;
  const plan = findPlan(world, runId);
  const inside = jobs.filter((job) => job.parent === planned.key);
  const nodes = inside.map((job) => findNode(plan, job.key));
  if (nodes.some((node) => node.state !== 'done')) return false;
  const run = world.state.runs[runId];
  const called = inside[0]?.file.triggers.call ?? null;
  const node = findNode(plan, planned.key);
  const outputs: Record<string, string> = {};
  if (run !== undefined && called !== null) {
    const base = jobScope(runScope(world, run, plan, engine.serverUrl), run, plan, planned);
    const results = Object.fromEntries(
      inside.map((job, at) => [
        job.definition.key,
        { result: nodes[at]?.result ?? '', outputs: nodes[at]?.outputs ?? {} },
      ]),
    );
    const scope = { ...base, contexts: { ...base.contexts, inputs: node.inputs, jobs: results } };
    try {
      for (const [name, text] of Object.entries(called.outputs)) outputs[name] = evaluateText(text, scope);
    } catch (error) {
      if (!(error instanceof WorkflowFault)) throw error;
      updateNode(world, runId, planned.key, { state: 'done', result: 'failure' });
      return true;
    }
  }
  updateNode(world, runId, planned.key, { state: 'done', result: worstResult(nodes), outputs });
  return true;
}

function worstResult(nodes: readonly PlanNode[]): NonNullable<PlanNode['result']> {
  for (const result of ['failure', 'cancelled', 'success'] as const) {
    if (nodes.some((node) => node.result === result)) return result;
  }
  return 'skipped';
}

function runConclusion(
  run: Run,
  nodes: readonly PlanNode[],
  jobs: readonly PlannedJob[],
): NonNullable<PlanNode['result']> {
  const calling = new Set(jobs.filter((job) => job.definition.call !== null).map((job) => job.key));
  const real = nodes.filter((node) => !calling.has(node.key) || node.jobId !== null);
  const result = worstResult(real);
  // A cancelled run with any unsuccessful job counts as cancelled, even if other jobs succeeded before.
  if (run.cancelRequested && real.some((node) => node.result !== 'success')) {
    return result === 'failure' ? 'failure' : 'cancelled';
  }
  return result;
}
