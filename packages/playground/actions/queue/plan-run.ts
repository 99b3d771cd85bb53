/**
 * Plans a run's newest attempt: its jobs, its name, its place in a concurrency group, or the reason why it cannot
 * start.
 */

import type { Json } from '../../world/json.ts';
import { repoById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { evaluateText } from '../expressions/evaluate.ts';
import type { Run, RunPlan } from '../state-actions.ts';
import { typedDispatchInputs } from '../workflow/dispatch-inputs.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { nodesForRerun } from './again.ts';
import { announceRun } from './announce.ts';
import { cancelMember } from './cancel.ts';
import { decideAdmission, type Evaluated, evaluateConcurrency, findGroup } from './concurrency.ts';
import type { Engine } from './engine.ts';
import { appendLog, createJob } from './job-rows.ts';
import { barePlan, type RunFacts } from './plan-rows.ts';
import { type RunDefinitions, readDefinitions } from './run-definitions.ts';
import { completeRun, updateRun } from './run-rows.ts';
import { runScope } from './run-scope.ts';
import type { RunSource } from './run-source.ts';

/** Plans a new run or a re-run. For a re-run `source` is null and the facts of the first plan are kept. */
export async function planRun(engine: Engine, run: Run, source: RunSource | null): Promise<void> {
  const { world } = engine;
  const repo = repoById(world, run.repoId);
  const facts = source ?? world.state.runPlans[run.id] ?? (await dispatchSource(engine, run));
  const definitions = await readDefinitions(engine.files, repo, facts.workflowSha, run.path);
  const plan: RunPlan = {
    ...barePlan(run, run.runAttempt, facts),
    inputs: typedInputs(run, definitions),
    nodes: nodesForRerun(run, definitions.jobs, world.state.runPlans[run.id]?.nodes ?? []),
  };
  world.state.runPlans[run.id] = plan;
  forgetOldChecks(world, run, plan);
  try {
    if (definitions.problems.length > 0) throw new WorkflowFault(definitions.problems.join('\n'));
    const scope = runScope(world, run, plan, engine.serverUrl);
    const { runName, concurrency } = definitions.file;
    const title = runName === null ? '' : evaluateText(runName, scope).trim();
    const named = title === '' ? run : updateRun(world, run.id, { displayTitle: title });
    await announceRun(world, named, 'requested');
    if (concurrency !== null) await enterGroup(engine, named, evaluateConcurrency(concurrency, scope));
  } catch (error) {
    if (!(error instanceof WorkflowFault)) throw error;
    await failToStart(engine, run, error.message);
  }
}

/** A commit shows only the checks of the newest attempt, including those that it took over. */
function forgetOldChecks(world: World, run: Run, plan: RunPlan): void {
  const kept = new Set(plan.nodes.map((node) => node.jobId));
  for (const id of run.jobIds) {
    const job = world.state.jobs[id];
    if (job === undefined || job.runAttempt === run.runAttempt || job.checkRunId === null) continue;
    if (kept.has(id)) continue;
    delete world.state.checkRuns[job.checkRunId];
    world.state.jobs[id] = { ...job, checkRunId: null };
  }
}

async function enterGroup(engine: Engine, run: Run, wanted: Evaluated): Promise<void> {
  const { world } = engine;
  const admission = decideAdmission(findGroup(world, run.repoId, wanted.group), wanted);
  const plan = world.state.runPlans[run.id];
  if (plan === undefined) throw new Error(`run ${run.id} has no plan`);
  world.state.runPlans[run.id] = { ...plan, group: wanted.group, queue: wanted.queue };
  if (admission.newcomer !== 'start') updateRun(world, run.id, { status: 'pending' });
  for (const member of admission.cancel) await cancelMember(engine, member);
  if (admission.newcomer === 'cancel') await completeRun(world, run.id, 'cancelled');
}

/** Ends a run that its own workflow file prevents from starting, with a job whose log names the problem. */
async function failToStart(engine: Engine, run: Run, message: string): Promise<void> {
  const { world } = engine;
  const plan = world.state.runPlans[run.id];
  if (plan !== undefined) world.state.runPlans[run.id] = { ...plan, nodes: [] };
  const job = await createJob(world, run, {
    key: '',
    name: 'Invalid workflow file',
    labels: [],
    environment: null,
    status: 'completed',
    conclusion: 'failure',
  });
  for (const line of message.split('\n')) appendLog(world, job.id, `##[error]${line}`);
  await completeRun(world, run.id, 'startup_failure');
}

/** The API creates a dispatch's row; the requested ref is in its payload. */
async function dispatchSource(engine: Engine, run: Run): Promise<RunFacts> {
  const repo = repoById(engine.world, run.repoId);
  const named = textField(run.payload, 'ref') ?? run.headBranch ?? repo.defaultBranch;
  const refs = await engine.world.gitOf(repo).refs();
  const ref = [named, `refs/heads/${named}`, `refs/tags/${named}`].find((name) => refs.has(name));
  return {
    ref: ref ?? `refs/heads/${named}`,
    sha: run.headSha,
    headRef: '',
    baseRef: '',
    workflowSha: run.headSha,
    untrusted: false,
  };
}

function typedInputs(run: Run, definitions: RunDefinitions): Record<string, Json> {
  return typedDispatchInputs(definitions.file.triggers.dispatch ?? {}, run.inputs);
}

function textField(value: Json, name: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const field = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof field === 'string' ? field : null;
}
