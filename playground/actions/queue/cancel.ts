/** Ends what a cancellation reaches: running jobs are told, waiting ones are over at once. */

import type { Member } from './concurrency.ts';
import type { Engine } from './engine.ts';
import { completeJob } from './job-rows.ts';
import { planOf, updateNode } from './plan-rows.ts';
import { completeRun, updateRun } from './run-rows.ts';
import { nodeOf } from './run-scope.ts';

/** Carries out `cancelRequested`; a run that never started is over, a running one ends when its jobs have ended. */
export async function cancelRun(engine: Engine, runId: number): Promise<void> {
  const { world } = engine;
  const run = updateRun(world, runId, { cancelRequested: true });
  if (run.status === 'pending') {
    const plan = planOf(world, runId);
    world.state.runPlans[runId] = {
      ...plan,
      nodes: plan.nodes.map((node) => ({ ...node, state: 'done', result: 'cancelled' })),
    };
    await completeRun(world, runId, 'cancelled');
    return;
  }
  for (const node of planOf(world, runId).nodes) {
    if (node.state === 'queued' || node.state === 'pending') await cancelNode(engine, runId, node.key);
  }
  for (const job of engine.active.values()) if (job.runId === runId) job.cancel.abort();
}

/** Cancels a member of a concurrency group. */
export async function cancelMember(engine: Engine, member: Member): Promise<void> {
  if (member.key === null) {
    await cancelRun(engine, member.runId);
    return;
  }
  const node = nodeOf(planOf(engine.world, member.runId), member.key);
  if (node.state === 'running') {
    if (node.jobId !== null) engine.active.get(node.jobId)?.cancel.abort();
    return;
  }
  await cancelNode(engine, member.runId, member.key);
}

async function cancelNode(engine: Engine, runId: number, key: string): Promise<void> {
  const node = nodeOf(planOf(engine.world, runId), key);
  if (node.jobId !== null) await completeJob(engine.world, node.jobId, 'cancelled');
  updateNode(engine.world, runId, key, { state: 'done', result: 'cancelled' });
}
