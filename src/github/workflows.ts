/** Workflow runs: dispatch and read. */

import { z } from 'zod';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { WorkflowRunFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { cutText, known, type Observed, unknown } from '../domain/values.ts';
import { redact } from '../host/redactor.ts';
import { call, type GitHubClient, readIfThere, readRoute, toRefusalOutcome } from './call.ts';
import { parseInstant } from './thread-comments.ts';

const dispatched = z.object({ workflow_run_id: z.number().int() });
const runSchema = z
  .object({
    id: z.number().int(),
    status: z.enum(['queued', 'in_progress', 'completed', 'other']).catch('other'),
    conclusion: z.string().nullable(),
    created_at: z.string(),
    html_url: z.string(),
  })
  .transform(
    ({ created_at, html_url: url, ...run }): WorkflowRunFacts => ({ ...run, createdAt: parseInstant(created_at), url }),
  );

/**
 * `return_run_details` (GitHub, 2026-02-19) returns the run's id. Uses the full ref, because a tag with the same short name could provide
 * another workflow file.
 */
export async function dispatchWorkflow(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'dispatch-workflow' }>,
): Promise<EffectOutcome> {
  const { workflow, ref, inputs } = effect;
  const outcome = await call(client, 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
    workflow_id: workflow,
    ref: `refs/heads/${ref}`,
    inputs,
    return_run_details: true,
  });
  if (outcome.kind !== 'answered') return toRefusalOutcome(outcome);
  const parsed = dispatched.safeParse(outcome.data);
  return parsed.success
    ? { kind: 'done', number: parsed.data.workflow_run_id }
    : { kind: 'unknown', message: 'GitHub did not return the id of the workflow run' };
}

/** Null if GitHub has no such run, because it was deleted or expired. */
export function readWorkflowRun(client: GitHubClient, id: number): Promise<Observed<WorkflowRunFacts | null>> {
  return readIfThere(client, 'GET /repos/{owner}/{repo}/actions/runs/{run_id}', runSchema, { run_id: id });
}

const jobs = z.object({
  jobs: z.array(z.object({ name: z.string(), conclusion: z.string().nullable(), check_run_url: z.string().nullish() })),
});
const annotations = z.array(z.object({ annotation_level: z.string(), message: z.string().nullable() }));

const isFailure = ({ annotation_level }: { readonly annotation_level: string }): boolean =>
  annotation_level === 'failure';

/** The first unsuccessful job's error or conclusion, without secrets and bounded. */
export async function readFailedJob(client: GitHubClient, run: number): Promise<Observed<string>> {
  const listed = await readRoute(client, 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', jobs, { run_id: run });
  if (listed.kind === 'unknown') return listed;
  const job = listed.value.jobs.find(({ conclusion }) => conclusion !== 'success' && conclusion !== 'skipped');
  if (job === undefined) return unknown(`the workflow run ${run} has no failed job`);
  const ended = `the job ${job.name} ended with ${job.conclusion ?? 'no conclusion'}`;
  const id = /\/check-runs\/(\d+)$/.exec(job.check_run_url ?? '')?.[1];
  if (id === undefined) return known(ended);
  const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
  const lines = await readRoute(client, route, annotations, { check_run_id: Number(id) });
  const failed = lines.kind === 'known' ? lines.value.find(isFailure) : undefined;
  const error = failed?.message;
  return known(cutText(redact(error == null ? ended : `${ended}: ${error}`, []), limits.messageCharactersMax));
}

/** `archive` null: too large or expired. */
export type WorkflowArtifact = { readonly archive: Uint8Array | null };

const listed = z.object({
  artifacts: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      size_in_bytes: z.number().int(),
      expired: z.boolean(),
      workflow_run: z.object({ id: z.number().int() }),
    }),
  ),
});

/** The run's first artifact with this name; null if there is none. */
export async function readArtifact(
  client: GitHubClient,
  run: number,
  name: string,
  bytesMax: number,
): Promise<Observed<WorkflowArtifact | null>> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts';
  const list = await readRoute(client, route, listed, { run_id: run, name, per_page: 30 });
  if (list.kind === 'unknown') return list;
  const [first] = list.value.artifacts
    .filter((one) => one.name === name && one.workflow_run.id === run)
    .toSorted((a, b) => a.id - b.id);
  if (first === undefined) return known(null);
  if (first.expired || first.size_in_bytes > bytesMax) return known({ archive: null });
  const bytes = await call(client, 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}', {
    artifact_id: first.id,
    archive_format: 'zip',
  });
  if (bytes.kind === 'answered' && bytes.data instanceof ArrayBuffer)
    return known({ archive: new Uint8Array(bytes.data) });
  return unknown(bytes.kind === 'answered' ? `artifact ${first.id} could not be read` : bytes.message);
}
