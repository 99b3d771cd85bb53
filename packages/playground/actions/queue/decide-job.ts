/** Decides a job whose `needs` have ended: skip it, call its workflow, or queue it for a runner. */

import type { Json } from '../../world/json.ts';
import { repoById } from '../../world/lookup.ts';
import { mayUseEnvironment } from '../environment-refs.ts';
import { evaluateCondition, evaluateText, evaluateValue, jsonAsText, type Scope } from '../expressions/evaluate.ts';
import { isSelfHostedLabel } from '../runner/environment.ts';
import { checkCallInputs } from '../workflow/dispatch-inputs.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { cancelMember } from './cancel.ts';
import { decideAdmission, evaluateConcurrency, findGroup } from './concurrency.ts';
import type { Engine } from './engine.ts';
import { appendLog, createJob } from './job-rows.ts';
import { isForeign } from './pick-runner.ts';
import { findPlan, updateNode } from './plan-rows.ts';
import type { PlannedJob } from './run-definitions.ts';
import { jobScope, runScope } from './run-scope.ts';

/**
 * Leaves the node `done`, `called`, `queued` or `pending`. An error in the workflow's text fails the job and is logged.
 */
export async function decideJob(engine: Engine, runId: number, planned: PlannedJob): Promise<void> {
  const { world } = engine;
  const run = world.state.runs[runId];
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  const plan = findPlan(world, runId);
  const scope = jobScope(runScope(world, run, plan, engine.serverUrl), run, plan, planned);
  const endJob = async (result: 'skipped' | 'failure', message: string | null): Promise<void> => {
    const job = await createJob(world, run, {
      key: planned.key,
      name: plainName(planned),
      labels: [],
      environment: null,
      status: 'completed',
      conclusion: result,
    });
    if (message !== null) appendLog(world, job.id, `##[error]${message}`);
    updateNode(world, runId, planned.key, { state: 'done', result, jobId: job.id });
  };
  try {
    if (!evaluateCondition(planned.definition.if, scope)) await endJob('skipped', null);
    else if (planned.definition.call !== null) await startCalledWorkflow(engine, runId, planned, scope);
    else await enqueueJob(engine, runId, planned, scope);
  } catch (error) {
    if (!(error instanceof WorkflowFault)) throw error;
    await endJob('failure', error.message);
  }
}

async function startCalledWorkflow(engine: Engine, runId: number, planned: PlannedJob, scope: Scope): Promise<void> {
  const { world } = engine;
  const run = world.state.runs[runId];
  const given = planned.definition.call;
  if (run === undefined || given === null) throw new Error(`${planned.key} calls nothing`);
  const called = await engine.files.called(given.uses, planned.home);
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given.with)) {
    values[name] = typeof value === 'string' ? evaluateValue(value, scope) : value;
  }
  const checked = checkCallInputs(called?.file.triggers.call?.inputs ?? {}, values);
  if (!checked.ok) throw new WorkflowFault(checked.message);
  updateNode(world, runId, planned.key, { state: 'called', inputs: checked.inputs });
}

async function enqueueJob(engine: Engine, runId: number, planned: PlannedJob, scope: Scope): Promise<void> {
  const { world } = engine;
  const run = world.state.runs[runId];
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  const { definition } = planned;
  const own = definition.name === null ? definition.key : evaluateText(definition.name, scope);
  const environment = definition.environment === null ? null : evaluateText(definition.environment, scope);
  if (environment !== null) checkEnvironment(engine, runId, environment);
  const labels = definition.runsOn.flatMap((label) => readLabels(evaluateValue(label, scope)));
  const wanted = definition.concurrency === null ? null : evaluateConcurrency(definition.concurrency, scope);
  const admission = wanted === null ? null : decideAdmission(findGroup(world, run.repoId, wanted.group), wanted);
  const waits = admission !== null && admission.newcomer !== 'start';
  const cancelled = admission?.newcomer === 'cancel';
  const job = await createJob(world, run, {
    key: planned.key,
    name: planned.parent === null ? own : `${planned.parent.replaceAll('/', ' / ')} / ${own}`,
    labels,
    environment,
    status: cancelled ? 'completed' : waits ? 'pending' : 'queued',
    conclusion: cancelled ? 'cancelled' : null,
  });
  if (labels.some(isSelfHostedLabel) && isForeign(planned, repoById(world, run.repoId).owner))
    appendLog(world, job.id, `${FOREIGN} ${planned.definition.key}`);
  updateNode(world, runId, planned.key, {
    state: cancelled ? 'done' : waits ? 'pending' : 'queued',
    result: cancelled ? 'cancelled' : null,
    jobId: job.id,
    group: wanted?.group ?? null,
    queue: wanted?.queue ?? 'single',
  });
  for (const member of admission?.cancel ?? []) await cancelMember(engine, member);
}

const FOREIGN =
  '##[warning]A workflow of another owner is given no self-hosted runner of its caller, so nothing will take the job';

/**
 * An environment with a ref restriction rejects a job on any other ref. If nobody created the environment, the job that
 * names it creates it without rules (docs: managing environments for deployment).
 */
function checkEnvironment(engine: Engine, runId: number, name: string): void {
  const { world } = engine;
  const plan = findPlan(world, runId);
  const repo = repoById(world, world.state.runs[runId]?.repoId ?? 0);
  const environment = repo.environments.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (environment === undefined) {
    const made = { name, secrets: {}, variables: {}, defaultBranchOnly: false };
    world.state.repos[repo.id] = { ...repo, environments: [...repo.environments, made] };
    return;
  }
  if (mayUseEnvironment(repo, environment, plan.ref)) return;
  const branch = plan.ref.replace(/^refs\/(?:heads|tags)\//, '');
  throw new WorkflowFault(
    `Branch "${branch}" is not allowed to deploy to ${name} due to environment protection rules.`,
  );
}

function readLabels(value: Json): string[] {
  return Array.isArray(value) ? value.map((one: Json) => jsonAsText(one)) : [jsonAsText(value)];
}

function plainName(planned: PlannedJob): string {
  const name = planned.definition.name;
  return name === null || name.includes('${{') ? planned.key.replaceAll('/', ' / ') : name;
}
