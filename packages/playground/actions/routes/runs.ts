/** Routes of workflow runs and jobs (docs.github.com/rest/actions/workflow-runs, /workflow-jobs). */

import { answerPageIn } from '../../api/paging.ts';
import { type Answer, failedAnswer, notFoundAnswer, okAnswer } from '../../api/reply.ts';
import { type ActorCall, actRoute, type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { actions as limits } from '../../limits/limits.ts';
import { emitChange } from '../../world/emit.ts';
import { logAddress } from '../log-address.ts';
import { shapeJob, shapeRun } from '../shape-run.ts';
import type { Job, Run } from '../state-actions.ts';
import { listRuns } from './workflows.ts';

const read = repoAccess('actions:read', 'public');
const write = repoAccess('actions:write', 'write');

export const runRoutes: readonly Route[] = [
  readRoute('/actions/runs', read, (call) => {
    return answerPageIn(call, 'workflow_runs', listRuns(call, null), (run) => shapeRun(call.world, run));
  }),
  readRoute('/actions/runs/:run', read, (call) => {
    const run = findRun(call);
    return run === null ? notFoundAnswer() : shapeRun(call.world, run).then((body) => okAnswer(body));
  }),
  readRoute('/actions/runs/:run/jobs', read, (call) => {
    const run = findRun(call);
    if (run === null) return notFoundAnswer();
    const rows = call.query.get('filter') === 'all' ? listJobs(call, run) : listNewestJobs(call, run);
    return answerPageIn(call, 'jobs', rows, (job) => shapeJob(call.world, job));
  }),
  readRoute('/actions/runs/:run/logs', read, (call) => {
    const run = findRun(call);
    if (run === null) return notFoundAnswer();
    return redirect(logAddress(call.world, 'runs', run.id));
  }),
  readRoute('/actions/jobs/:job', read, (call) => {
    const job = findJob(call);
    return job === null ? notFoundAnswer() : okAnswer(shapeJob(call.world, job));
  }),
  readRoute('/actions/jobs/:job/logs', read, (call) => {
    const job = findJob(call);
    if (job === null) return notFoundAnswer();
    return redirect(logAddress(call.world, 'jobs', job.id));
  }),
  actRoute('POST', '/actions/runs/:run/cancel', write, (call) => cancelRun(call, false)),
  actRoute('POST', '/actions/runs/:run/force-cancel', write, (call) => cancelRun(call, true)),
  actRoute('POST', '/actions/runs/:run/rerun', write, (call) => rerunWorkflow(call, findRun(call), undefined)),
  actRoute('POST', '/actions/runs/:run/rerun-failed-jobs', write, (call) =>
    rerunWorkflow(call, findRun(call), 'failed'),
  ),
  actRoute('POST', '/actions/jobs/:job/rerun', write, (call) => {
    const job = findJob(call);
    return rerunWorkflow(call, call.world.state.runs[job?.runId ?? 0] ?? null, job?.id);
  }),
  actRoute('POST', '/actions/runs/:run/approve', write, approveRun),
];

function redirect(location: string): Answer {
  return { status: 302, body: null, headers: { location } };
}

function findRun(call: RepoCall): Run | null {
  const run = call.world.state.runs[call.params['run'] ?? ''];
  return run?.repoId === call.repo.id ? run : null;
}

function findJob(call: RepoCall): Job | null {
  const job = call.world.state.jobs[call.params['job'] ?? ''];
  return job?.repoId === call.repo.id ? job : null;
}

function listJobs(call: RepoCall, run: Run): readonly Job[] {
  return run.jobIds.flatMap((id) => call.world.state.jobs[id] ?? []);
}

/** The latest execution of every job: a re-run takes over the jobs that it does not repeat. */
function listNewestJobs(call: RepoCall, run: Run): readonly Job[] {
  const taken = new Set(call.world.state.runPlans[run.id]?.nodes.map((node) => node.jobId));
  return listJobs(call, run).filter((job) => job.runAttempt === run.runAttempt || taken.has(job.id));
}

/** 202: the runner ends the run later. If forced, conditions like `always()` do not keep a job running. */
async function cancelRun(call: ActorCall, forced: boolean): Promise<Answer> {
  const run = findRun(call);
  if (run === null) return notFoundAnswer();
  if (run.status === 'completed') return failedAnswer(409, 'Cannot cancel a workflow run that is completed.');
  const cancelForced = forced || run.cancelForced === true;
  await requestRunChange(call, { ...run, cancelRequested: true, cancelForced }, 'cancel_requested');
  return { status: 202, body: {}, headers: {} };
}

/** Repeats the same event with the same commit and actor as the next attempt: all jobs, the failed ones, or one job. */
async function rerunWorkflow(call: ActorCall, run: Run | null, again: Run['again']): Promise<Answer> {
  if (run === null) return notFoundAnswer();
  if (run.status !== 'completed') return failedAnswer(403, 'This workflow run is already running');
  if (call.world.clock.now() - run.createdAtMs > limits.rerunWindowMs)
    return failedAnswer(403, 'Unable to retry this workflow run because it was created over a month ago');
  if (run.runAttempt > limits.attempts)
    return failedAnswer(403, `This workflow run was run again ${limits.attempts} times and cannot be run again`);
  if (again === 'failed' && run.conclusion === 'success')
    return failedAnswer(403, 'This workflow run has no failed jobs to run again');
  const { again: _, ...rest } = run;
  const next: Run = {
    ...rest,
    ...(again === undefined ? {} : { again }),
    runAttempt: run.runAttempt + 1,
    status: 'queued',
    conclusion: null,
    cancelRequested: false,
    cancelForced: false,
    triggeringActorId: call.actor.id,
    startedAtMs: call.world.clock.now(),
  };
  await requestRunChange(call, next, 'rerun_requested');
  return { status: 201, body: {}, headers: {} };
}

/** Continues a run that waited for approval by a person with write access ("Approve and run workflows"). */
async function approveRun(call: ActorCall): Promise<Answer> {
  const run = findRun(call);
  if (run === null) return notFoundAnswer();
  if (run.conclusion !== 'action_required') return failedAnswer(403, 'This run does not wait for approval.');
  await requestRunChange(call, { ...run, status: 'queued', conclusion: null }, 'approved');
  return { status: 201, body: {}, headers: {} };
}

/** Internal to the runner: these three actions of `workflow_run` are never sent as webhooks. */
async function requestRunChange(
  call: ActorCall,
  run: Run,
  action: 'cancel_requested' | 'rerun_requested' | 'approved',
): Promise<void> {
  const changed = { ...run, updatedAtMs: call.world.clock.now() };
  call.world.state.runs[run.id] = changed;
  await emitChange(call.world, {
    type: 'workflow_run',
    action,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    runId: run.id,
    payload: { workflow_run: await shapeRun(call.world, changed) },
  });
}
