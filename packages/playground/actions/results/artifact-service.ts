/**
 * `github.actions.results.api.v1.ArtifactService`: the requests of actions/upload-artifact and related clients since
 * version 4.
 */

import * as z from 'zod';
import { results as limits } from '../../limits/limits.ts';
import type { Json } from '../../world/json.ts';
import { toIso } from '../../world/time.ts';
import { nextId, type World } from '../../world/world.ts';
import type { RunningJob } from './runtime-token.ts';
import { signedAddress } from './signed-address.ts';
import type { Artifact } from './state-results.ts';
import { isExpired, isUploadUnfinished, listArtifacts } from './stored-rows.ts';
import { errorAnswer, jsonAnswer, type TwirpMethod, twirpMethod } from './twirp.ts';

const ids = { workflow_run_backend_id: z.string(), workflow_job_run_backend_id: z.string() };
/** Names become file names on machines of all kinds (actions/toolkit, path-and-artifact-name-validation). */
const name = z
  .string()
  .min(1)
  .max(limits.artifactNameCharacters)
  .regex(/^[^":<>|*?\r\n\\/]+$/, 'an artifact is not called so');
const int64 = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]).transform(Number);

const creation = z.object({
  ...ids,
  name,
  expires_at: z.iso.datetime().optional(),
  mime_type: z.string().max(limits.artifactNameCharacters).optional(),
  version: z.number().int(),
});

export const artifactService: Readonly<Record<string, TwirpMethod>> = {
  CreateArtifact: twirpMethod(creation, (world, by, request) => {
    if (!isOwn(by, request)) return foreignRun;
    if (request.version < 4) return errorAnswer('invalid_argument', 'artifacts of this version are not taken any more');
    const own = listArtifactsOfRun(world, by).filter((row) => row.isFinal || isUploadUnfinished(world, row));
    if (own.some((row) => row.name === request.name && row.runAttempt === by.job.runAttempt))
      return errorAnswer('already_exists', 'an artifact with this name already exists on the workflow run');
    if (own.filter((row) => row.jobId === by.job.id).length >= limits.artifactsPerJob)
      return errorAnswer('failed_precondition', `a job has at most ${limits.artifactsPerJob} artifacts`);
    const now = world.clock.now();
    const latest = now + limits.artifactLifeMs;
    const id = nextId(world, 'artifacts');
    world.state.artifacts[id] = {
      id,
      repoId: by.run.repoId,
      runId: by.run.id,
      runAttempt: by.job.runAttempt,
      jobId: by.job.id,
      name: request.name,
      mimeType: request.mime_type ?? 'application/zip',
      isFinal: false,
      blob: null,
      createdAtMs: now,
      updatedAtMs: now,
      expiresAtMs: request.expires_at === undefined ? latest : Math.min(Date.parse(request.expires_at), latest),
    };
    return jsonAnswer({ ok: true, signed_upload_url: signedAddress(world, { kind: 'artifacts', id }, 'cw') });
  }),
  FinalizeArtifact: twirpMethod(
    z.object({ ...ids, name, size: int64.default(0), hash: z.string().optional() }),
    (world, by, request) => {
      if (!isOwn(by, request)) return foreignRun;
      const row = listArtifactsOfRun(world, by).findLast(
        (one) => one.name === request.name && one.jobId === by.job.id && !one.isFinal,
      );
      if (row?.blob == null) return errorAnswer('not_found', 'nothing was sent for an artifact of this name');
      const { bytes, sha256 } = row.blob;
      if (bytes !== request.size || (request.hash !== undefined && request.hash !== `sha256:${sha256}`))
        return errorAnswer('invalid_argument', 'what was sent has another size or hash');
      const kept = listArtifacts(world, row.repoId).filter((one) => !isExpired(world, one));
      if (kept.reduce((sum, one) => sum + (one.blob?.bytes ?? 0), bytes) > limits.artifactBytes) {
        delete world.state.artifacts[row.id];
        return errorAnswer(
          'permission_denied',
          'insufficient usage to create artifact: the quota of artifact storage has been hit',
        );
      }
      world.state.artifacts[row.id] = { ...row, isFinal: true, updatedAtMs: world.clock.now() };
      return jsonAnswer({ ok: true, artifact_id: `${row.id}` });
    },
  ),
  ListArtifacts: twirpMethod(
    z.object({ ...ids, name_filter: z.string().optional(), id_filter: int64.optional() }),
    (world, by, request) => {
      if (!isOwn(by, request)) return foreignRun;
      const rows = listUnexpired(world, by).filter(
        (row) =>
          (request.name_filter === undefined || row.name === request.name_filter) &&
          (request.id_filter === undefined || row.id === request.id_filter),
      );
      return jsonAnswer({ artifacts: rows.slice(0, limits.artifactsListed).map(shape) });
    },
  ),
  GetSignedArtifactURL: twirpMethod(z.object({ ...ids, name }), (world, by, request) => {
    if (request.workflow_run_backend_id !== `${by.run.id}`) return foreignRun;
    const row = listUnexpired(world, by).find(
      (one) => one.name === request.name && `${one.jobId}` === request.workflow_job_run_backend_id,
    );
    if (row === undefined) return errorAnswer('not_found', 'there is no artifact of this name');
    return jsonAnswer({ signed_url: signedAddress(world, { kind: 'artifacts', id: row.id }, 'r') });
  }),
  DeleteArtifact: twirpMethod(z.object({ ...ids, name }), (world, by, request) => {
    if (request.workflow_run_backend_id !== `${by.run.id}`) return foreignRun;
    const row = listUnexpired(world, by).find((one) => one.name === request.name);
    if (row === undefined) return errorAnswer('not_found', 'there is no artifact of this name');
    delete world.state.artifacts[row.id];
    return jsonAnswer({ ok: true, artifact_id: `${row.id}` });
  }),
};

const foreignRun = errorAnswer('permission_denied', 'this token is of another run or job');

function isOwn(
  { run, job }: RunningJob,
  request: { readonly workflow_run_backend_id: string; readonly workflow_job_run_backend_id: string },
): boolean {
  return request.workflow_run_backend_id === `${run.id}` && request.workflow_job_run_backend_id === `${job.id}`;
}

function listArtifactsOfRun(world: World, { run }: RunningJob): readonly Artifact[] {
  return Object.values(world.state.artifacts).filter((row) => row.runId === run.id);
}

function listUnexpired(world: World, { run }: RunningJob): readonly Artifact[] {
  return listArtifacts(world, run.repoId).filter((row) => row.runId === run.id && !isExpired(world, row));
}

function shape(row: Artifact): Json {
  return {
    workflow_run_backend_id: `${row.runId}`,
    workflow_job_run_backend_id: `${row.jobId}`,
    database_id: `${row.id}`,
    name: row.name,
    size: `${row.blob?.bytes ?? 0}`,
    created_at: toIso(row.createdAtMs),
    digest: `sha256:${row.blob?.sha256 ?? ''}`,
  };
}
