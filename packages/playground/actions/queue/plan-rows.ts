/** Updates the plan of a run, one node at a time. */

import type { World } from '../../world/world.ts';
import type { PlanNode, Run, RunPlan } from '../state-actions.ts';
import type { RunSource } from './run-source.ts';

/** What a plan takes from the event, or a re-run takes from the previous plan. */
export type RunFacts = Pick<RunSource & RunPlan, 'ref' | 'sha' | 'headRef' | 'baseRef' | 'workflowSha' | 'untrusted'>;

/** A plan without jobs. */
export function barePlan(run: Run, attempt: number, facts: RunFacts): RunPlan {
  return {
    runId: run.id,
    attempt,
    ref: facts.ref,
    sha: facts.sha,
    headRef: facts.headRef,
    baseRef: facts.baseRef,
    workflowSha: facts.workflowSha,
    inputs: {},
    group: null,
    queue: 'single',
    untrusted: facts.untrusted,
    nodes: [],
  };
}

export function findPlan(world: World, runId: number): RunPlan {
  const plan = world.state.runPlans[runId];
  if (plan === undefined) throw new Error(`run ${runId} has no plan`);
  return plan;
}

export function createNode(key: string): PlanNode {
  return { key, state: 'open', result: null, outputs: {}, jobId: null, group: null, queue: 'single', inputs: null };
}

export function updateNode(world: World, runId: number, key: string, changes: Partial<PlanNode>): RunPlan {
  const plan = findPlan(world, runId);
  const nodes = plan.nodes.map((node) => (node.key === key ? { ...node, ...changes } : node));
  const changed: RunPlan = { ...plan, nodes };
  world.state.runPlans[runId] = changed;
  return changed;
}
