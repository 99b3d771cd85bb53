/** Workflow runs: dispatch and read. */

import { z } from 'zod';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { WorkflowRunFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { cutText } from '../domain/text.ts';
import { redact } from '../host/redactor.ts';
import { call, type GitHubClient, refusal } from './call.ts';
import { instantOf } from './thread-comments.ts';

const dispatched = z.object({ workflow_run_id: z.number().int() });
const runSchema = z.object({
  id: z.number().int(),
  status: z.string().nullable(),
  conclusion: z.string().nullable(),
  created_at: z.string(),
  html_url: z.string(),
});

/**
 * `return_run_details` (GitHub, 2026-02-19) returns the run's id. Uses the full ref, because a tag with the same short name could provide
 * another workflow file.
 */
export async function dispatchWorkflow(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'dispatch-workflow' }>,
): Promise<EffectOutcome> {
  const { workflow, ref, inputs } = effect;
  const outcome = await call(
    client,
    'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
    { workflow_id: workflow, ref: `refs/heads/${ref}`, inputs, return_run_details: true },
  );
  if (outcome.kind !== 'answered') return refusal(outcome);
  const parsed = dispatched.safeParse(outcome.data);
  return parsed.success
    ? { kind: 'done', number: parsed.data.workflow_run_id }
    : { kind: 'unknown', message: 'GitHub did not return the id of the workflow run' };
}

/** Null if GitHub has no such run, because it was deleted or expired. */
export async function readWorkflowRun(
  client: GitHubClient,
  id: number,
): Promise<Observed<WorkflowRunFacts | null>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/actions/runs/{run_id}', { run_id: id });
  if (outcome.kind === 'refused' && outcome.status === 404) return known(null);
  const parsed = outcome.kind === 'answered' ? runSchema.safeParse(outcome.data) : null;
  return parsed?.success === true
    ? known(factsOf(parsed.data))
    : unknown(`the workflow run ${id} could not be read`);
}

function factsOf(run: z.infer<typeof runSchema>): WorkflowRunFacts {
  return {
    id: run.id,
    status: statusOf(run.status),
    conclusion: run.conclusion,
    createdAt: instantOf(run.created_at),
    url: run.html_url,
  };
}

const jobs = z.object({
  jobs: z.array(
    z.object({ name: z.string(), conclusion: z.string().nullable(), check_run_url: z.string().nullish() }),
  ),
});
const annotations = z.array(z.object({ annotation_level: z.string(), message: z.string().nullable() }));

/** The first unsuccessful job's error or conclusion, without secrets and bounded. */
export async function readFailedJob(client: GitHubClient, run: number): Promise<Observed<string>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', { run_id: run });
  const parsed = outcome.kind === 'answered' ? jobs.safeParse(outcome.data) : null;
  const job = parsed?.data?.jobs.find(
    ({ conclusion }) => conclusion !== 'success' && conclusion !== 'skipped',
  );
  if (job === undefined) return unknown(`the jobs of the workflow run ${run} could not be read`);
  const ended = `the job ${job.name} ended with ${job.conclusion ?? 'no conclusion'}`;
  const id = /\/check-runs\/(\d+)$/.exec(job.check_run_url ?? '')?.[1];
  if (id === undefined) return known(ended);
  const said = await call(client, 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', {
    check_run_id: Number(id),
  });
  const lines = said.kind === 'answered' ? annotations.safeParse(said.data) : null;
  const error = lines?.data?.find(({ annotation_level }) => annotation_level === 'failure')?.message;
  return known(
    cutText(redact(error == null ? ended : `${ended}: ${error}`, []), limits.messageCharactersMax),
  );
}

function statusOf(status: string | null): WorkflowRunFacts['status'] {
  return status === 'queued' || status === 'in_progress' || status === 'completed' ? status : 'other';
}
