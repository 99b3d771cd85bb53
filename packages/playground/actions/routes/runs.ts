/** Routes of workflow runs and jobs (docs.github.com/rest/actions/workflow-runs, /workflow-jobs). */

import { pagedIn } from '../../api/paging.ts';
import { type Answer, failed, notFound, ok } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess } from '../../api/route.ts';
import { actions as limits } from '../../limits/limits.ts';
import { emitChange } from '../../world/emit.ts';
import { logAddress } from '../log-address.ts';
import { shapeJob, shapeRun } from '../shape-run.ts';
import type { Job, Run } from '../state-actions.ts';
import { runsOf } from './workflows.ts';

const read = repoAccess('actions:read', 'public');
const write = repoAccess('actions:write', 'write');

export const runRoutes: readonly Route[] = [
  reads('/actions/runs', read, (call) => {
    return pagedIn(call, 'workflow_runs', runsOf(call, null), (run) => shapeRun(call.world, run));
  }),
  reads('/actions/runs/:run', read, (call) => {
    const run = runOf(call);
    return run === null ? notFound() : shapeRun(call.world, run).then((body) => ok(body));
  }),
  reads('/actions/runs/:run/jobs', read, (call) => {
    const run = runOf(call);
    if (run === null) return notFound();
    const rows = call.query.get('filter') === 'all' ? jobsOf(call, run) : newestJobs(call, run);
    return pagedIn(call, 'jobs', rows, (job) => shapeJob(call.world, job));
  }),
  reads('/actions/runs/:run/logs', read, (call) => {
    const run = runOf(call);
    if (run === null) return notFound();
    return redirect(logAddress(call.world, 'runs', run.id));
  }),
  reads('/actions/jobs/:job', read, (call) => {
    const job = jobOf(call);
    return job === null ? notFound() : ok(shapeJob(call.world, job));
  }),
  reads('/actions/jobs/:job/logs', read, (call) => {
    const job = jobOf(call);
    if (job === null) return notFound();
    return redirect(logAddress(call.world, 'jobs', job.id));
  }),
  acts('POST', '/actions/runs/:run/cancel', write, (call) => cancelRun(call, false)),
  acts('POST', '/actions/runs/:run/force-cancel', write, (call) => cancelRun(call, true)),
  acts('POST', '/actions/runs/:run/rerun', write, (call) => rerun(call, runOf(call), undefined)),
  acts('POST', '/actions/runs/:run/rerun-failed-jobs', write, (call) => rerun(call, runOf(call), 'failed')),
  acts('POST', '/actions/jobs/:job/rerun', write, (call) => {
    const job = jobOf(call);
    return rerun(call, call.world.state.runs[job?.runId ?? 0] ?? null, job?.id);
  }),
  acts('POST', '/actions/runs/:run/approve', write, approve),
];

function redirect(location: string): Answer {
  return { status: 302, body: null, headers: { location } };
}

function runOf(call: RepoCall): Run | null {
  const run = call.world.state.runs[call.params['run'] ?? ''];
  return run?.repoId === call.repo.id ? run : null;
}

function jobOf(call: RepoCall): Job | null {
  const job = call.world.state.jobs[call.params['job'] ?? ''];
  return job?.repoId === call.repo.id ? job : null;
}

function jobsOf(call: RepoCall, run: Run): readonly Job[] {
  return run.jobIds.flatMap((id) => call.world.state.jobs[id] ?? []);
}

/** The latest execution of every job: a re-run takes over the jobs that it does not repeat. */
function newestJobs(call: RepoCall, run: Run): readonly Job[] {
  const taken = new Set(call.world.state.runPlans[run.id]?.nodes.map((node) => node.jobId));
  return jobsOf(call, run).filter((job) => job.runAttempt === run.runAttempt || taken.has(job.id));
}

/** 202: the runner ends the run later. If forced, conditions like `always()` do not keep a job running. */
async function cancelRun(call: ActorCall, forced: boolean): Promise<Answer> {
  const run = runOf(call);
  if (run === null) return notFound();
  if (run.status === 'completed') return failed(409, 'Cannot cancel a workflow run that is completed.');
  const cancelForced = forced || run.cancelForced === true;
  await ask(call, { ...run, cancelRequested: true, cancelForced }, 'cancel_requested');
  return { status: 202, body: {}, headers: {} };
}

/** Repeats the same event with the same commit and actor as the next attempt: all jobs, the failed ones, or one job. */
async function rerun(call: ActorCall, run: Run | null, again: Run['again']): Promise<Answer> {
  if (run === null) return notFound();
  if (run.status !== 'completed') return failed(403, 'This workflow run is already running');
  if (call.world.clock.now() - run.createdAtMs > limits.rerunWindowMs)
    return failed(403, 'Unable to retry this workflow run because it was created over a month ago');
  if (run.runAttempt > limits.attempts)
    return failed(403, `This workflow run was run again ${limits.attempts} times and cannot be run again`);
  if (again === 'failed' && run.conclusion === 'success')
    return failed(403, 'This workflow run has no failed jobs to run again');
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
  await ask(call, next, 'rerun_requested');
  return { status: 201, body: {}, headers: {} };
}

/** Continues a run that waited for approval by a person with write access ("Approve and run workflows"). */
async function approve(call: ActorCall): Promise<Answer> {
  const run = runOf(call);
  if (run === null) return notFound();
  if (run.conclusion !== 'action_required') return failed(403, 'This run does not wait for approval.');
  await ask(call, { ...run, status: 'queued', conclusion: null }, 'approved');
  return { status: 201, body: {}, headers: {} };
}

/** Internal to the runner: these three actions of `workflow_run` are never sent as webhooks. */
async function ask(
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
