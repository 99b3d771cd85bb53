/** Routes of workflow runs and jobs (docs.github.com/rest/actions/workflow-runs, /workflow-jobs). */

import { pagedIn } from '../../api/paging.ts';
import { type Answer, failed, notFound, ok } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess } from '../../api/route.ts';
import { emitChange } from '../../world/emit.ts';
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
    const latest = call.query.get('filter') !== 'all';
    const rows = jobsOf(call, run).filter((job) => !latest || job.runAttempt === run.runAttempt);
    return pagedIn(call, 'jobs', rows, (job) => shapeJob(call.world, job));
  }),
  reads('/actions/runs/:run/logs', read, (call) => {
    const run = runOf(call);
    if (run === null) return notFound();
    return elsewhere(`${call.world.baseUrl}/_playground/logs/runs/${run.id}`);
  }),
  // The playground's runs leave nothing behind: what they write stays on the runner.
  reads('/actions/runs/:run/artifacts', read, (call) => {
    return runOf(call) === null ? notFound() : pagedIn(call, 'artifacts', [], () => null);
  }),
  reads('/actions/jobs/:job', read, (call) => {
    const job = jobOf(call);
    return job === null ? notFound() : ok(shapeJob(call.world, job));
  }),
  reads('/actions/jobs/:job/logs', read, (call) => {
    const job = jobOf(call);
    if (job === null) return notFound();
    return elsewhere(`${call.world.baseUrl}/_playground/logs/jobs/${job.id}`);
  }),
  acts('POST', '/actions/runs/:run/cancel', write, cancelRun),
  acts('POST', '/actions/runs/:run/force-cancel', write, cancelRun),
  acts('POST', '/actions/runs/:run/rerun', write, rerun),
  acts('POST', '/actions/runs/:run/approve', write, approve),
];

/** Logs lie outside of the API, behind an address that GitHub signs for a minute. */
function elsewhere(location: string): Answer {
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

/** 202: the runner ends the run when it hears of it. */
async function cancelRun(call: ActorCall): Promise<Answer> {
  const run = runOf(call);
  if (run === null) return notFound();
  if (run.status === 'completed') return failed(409, 'Cannot cancel a workflow run that is completed.');
  await ask(call, { ...run, cancelRequested: true }, 'cancel_requested');
  return { status: 202, body: {}, headers: {} };
}

/** The same event with the same commit once more, as the next attempt. */
async function rerun(call: ActorCall): Promise<Answer> {
  const run = runOf(call);
  if (run === null) return notFound();
  if (run.status !== 'completed') return failed(403, 'This workflow run is already running');
  const next: Run = {
    ...run,
    runAttempt: run.runAttempt + 1,
    status: 'queued',
    conclusion: null,
    cancelRequested: false,
    triggeringActorId: call.actor.id,
    startedAtMs: call.world.clock.now(),
  };
  await ask(call, next, 'rerun_requested');
  return { status: 201, body: {}, headers: {} };
}

/** Lets a run go on that waited for somebody with write access ("Approve and run workflows"). */
async function approve(call: ActorCall): Promise<Answer> {
  const run = runOf(call);
  if (run === null) return notFound();
  if (run.conclusion !== 'action_required') return failed(403, 'This run does not wait for approval.');
  await ask(call, { ...run, status: 'queued', conclusion: null }, 'approved');
  return { status: 201, body: {}, headers: {} };
}

/** For the runner alone: these three actions of `workflow_run` are never sent as webhooks. */
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
