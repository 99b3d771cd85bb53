/**
 * Carries out a cancellation: signals running jobs, ends waiting ones immediately, and keeps jobs that should run
 * despite it.
 */

import { assertNever } from '../../world/assert.ts';
import { repoById } from '../../world/lookup.ts';
import { evaluateCondition } from '../expressions/evaluate.ts';
import type { PlanNode, Run } from '../state-actions.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { Member } from './concurrency.ts';
import type { Engine } from './engine.ts';
import { completeJob } from './job-rows.ts';
import { findPlan, updateNode } from './plan-rows.ts';
import { type PlannedJob, readDefinitions } from './run-definitions.ts';
import { completeRun, updateRun } from './run-rows.ts';
import { findNode, jobScope, runScope } from './run-scope.ts';

/**
 * Carries out `cancelRequested`. A run that never started ends now; a running one ends when its jobs have ended. Jobs
 * whose `if:` still holds (`always()`) continue unless the cancellation is forced (docs: workflow cancellation
 * reference).
 */
export async function cancelRun(engine: Engine, runId: number): Promise<void> {
  const { world } = engine;
  const run = updateRun(world, runId, { cancelRequested: true });
  if (run.status === 'pending') {
    const plan = findPlan(world, runId);
    world.state.runPlans[runId] = {
      ...plan,
      nodes: plan.nodes.map((node) => ({ ...node, state: 'done', result: 'cancelled' })),
    };
    await completeRun(world, runId, 'cancelled');
    return;
  }
  const plan = findPlan(world, runId);
  const { jobs } = await readDefinitions(engine.files, repoById(world, run.repoId), plan.workflowSha, run.path);
  for (const node of plan.nodes) {
    const planned = jobs.find((one) => one.key === node.key);
    if (planned === undefined || (!run.cancelForced && survivesCancellation(engine, run, planned))) continue;
    await endNode(engine, run, node);
  }
}

async function endNode(engine: Engine, run: Run, node: PlanNode): Promise<void> {
  switch (node.state) {
    case 'queued':
    case 'pending':
      return await cancelNode(engine, run.id, node.key);
    case 'running': {
      const job = node.jobId === null ? undefined : engine.active.get(node.jobId);
      job?.cancel.abort();
      if (run.cancelForced) job?.force.abort();
      return;
    }
    case 'open':
      // The job's condition is evaluated when its turn comes. A forced cancellation skips the condition.
      if (run.cancelForced) updateNode(engine.world, run.id, node.key, { state: 'done', result: 'cancelled' });
      return;
    case 'called':
    case 'done':
      return;
    default:
      return assertNever(node.state);
  }
}

/**
 * Evaluates a job's `if:` again now that the run is cancelled. A condition that cannot be evaluated counts as false.
 */
function survivesCancellation(engine: Engine, run: Run, planned: PlannedJob): boolean {
  const plan = findPlan(engine.world, run.id);
  try {
    const scope = jobScope(runScope(engine.world, run, plan, engine.serverUrl), run, plan, planned);
    return evaluateCondition(planned.definition.if, scope);
  } catch (error) {
    if (error instanceof WorkflowFault) return false;
    throw error;
  }
}

/** Cancels a member of a concurrency group. */
export async function cancelMember(engine: Engine, member: Member): Promise<void> {
  if (member.key === null) {
    await cancelRun(engine, member.runId);
    return;
  }
  const node = findNode(findPlan(engine.world, member.runId), member.key);
  if (node.state === 'running') {
    if (node.jobId !== null) engine.active.get(node.jobId)?.cancel.abort();
    return;
  }
  await cancelNode(engine, member.runId, member.key);
}

async function cancelNode(engine: Engine, runId: number, key: string): Promise<void> {
  const node = findNode(findPlan(engine.world, runId), key);
  if (node.jobId !== null) await completeJob(engine.world, node.jobId, 'cancelled');
  updateNode(engine.world, runId, key, { state: 'done', result: 'cancelled' });
}
