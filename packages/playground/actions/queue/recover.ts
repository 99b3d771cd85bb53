/** Recovery after a restart of the playground: running jobs lost their runner and fail; all others continue. */

import { isSelfHostedLabel } from '../runner/environment.ts';
import type { Engine } from './engine.ts';
import { appendLog, completeJob } from './job-rows.ts';
import { updateNode } from './plan-rows.ts';
import { registerWorkflows } from './registry.ts';

/** Call it once, before anything starts. */
export async function recover(engine: Engine): Promise<void> {
  const { world } = engine;
  await engine.executor.recover();
  for (const job of Object.values(world.state.jobs)) {
    if (job.status !== 'in_progress' || engine.active.has(job.id)) continue;
    const kind = job.labels.some(isSelfHostedLabel) ? 'self-hosted' : 'hosted';
    appendLog(
      world,
      job.id,
      `##[error]The ${kind} runner: ${job.runnerName ?? 'unknown'} lost communication with the server. ` +
        'Verify the machine is running and has a healthy network connection.',
    );
    await completeJob(world, job.id, 'failure');
    updateNode(world, job.runId, job.key, { state: 'done', result: 'failure' });
  }
  for (const repo of Object.values(world.state.repos)) await registerWorkflows(world, engine.files, repo);
}
