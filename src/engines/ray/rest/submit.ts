/** Starts a job on a Ray cluster at most once: checks first, submits under a fixed id, and checks again when in doubt. */

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Job, JobSpec, SubmitOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { parseJson } from '../../../domain/values.ts';
import {
  buildJob,
  findConflict,
  identityFields,
  type Rejected,
  reject,
  submitOnce,
  toShellLine,
  unknownOutcome,
} from '../../shared/kit.ts';
import { type PackageTarget, zipTree } from '../../shared/package-files.ts';
import { findRaySpecRefusal, IN_METADATA } from '../job-details.ts';
import {
  call,
  lastLine,
  lookUpJob,
  maskSecrets,
  type NoAnswer,
  noAnswer,
  type RayAnswer,
  type RestSettings,
  readSession,
} from './request.ts';

const submitAnswer = z.object({ submission_id: z.string() });

/**
 * Ray accepts an id once per session. It refuses a repeated id with a 500, and also answers 500 if its reply to our submit was lost inside
 * Ray (ray-project/ray issue 53946). So only a success counts. After any other answer the job under our id decides: one with our metadata
 * is adopted, another one is a conflict, none is `unknown`, because the request may still arrive.
 */
export async function submitOverRest(settings: RestSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = findRaySpecRefusal(spec);
  if (refusal !== null) return refusal;
  let session = '';
  return submitOnce(spec, {
    findJob: async () => {
      const now = await readSession(settings);
      if (now.kind === 'unknown') return toSubmitOutcome(now);
      session = now.id;
      return findSubmitted(settings, spec, session);
    },
    send: () => sendSubmit(settings, spec, session),
    sleep: settings.sleep,
    recheckDelaysMs: limits.rayLookAgainDelaysMs,
  });
}

/** Answers after which Ray started nothing. 400: not a valid job; 405: Ray takes us for a browser; 413: too large. */
const FINAL: readonly number[] = [400, 405, 413];

async function sendSubmit(settings: RestSettings, spec: JobSpec, session: string): Promise<SubmitOutcome> {
  const shipped = await uploadPackage(settings, spec);
  if (shipped.kind === 'rejected') return shipped;
  if (shipped.kind === 'unknown') return toSubmitOutcome(shipped);
  const answer = await call(settings, {
    method: 'POST',
    path: 'api/jobs/',
    body: {
      entrypoint: toShellLine(spec.command),
      submission_id: spec.submissionId,
      metadata: identityFields(spec.metadata, IN_METADATA),
      runtime_env: { working_dir: shipped.uri, env_vars: spec.env },
    },
  });
  const values = Object.values(spec.env);
  if (answer.kind === 'unknown')
    return toSubmitOutcome({ ...answer, message: maskSecrets(settings, answer.message, values) });
  if (isAcceptedSubmit(answer, spec.submissionId)) return { kind: 'submitted', job: toJob(settings, spec, session) };
  const message = `${answer.status}: ${lastLine(settings, answer.text, values)}`;
  return FINAL.includes(answer.status) ? reject('refused', message) : unknownOutcome(message);
}

async function findSubmitted(settings: RestSettings, spec: JobSpec, session: string): Promise<SubmitOutcome | null> {
  const found = await lookUpJob(settings, spec.submissionId, session);
  if (found.kind === 'unknown') return toSubmitOutcome(found);
  if (found.kind === 'missing') return null;
  return findConflict(found.job.metadata, spec) ?? { kind: 'adopted', job: toJob(settings, spec, session) };
}

function isAcceptedSubmit(answer: RayAnswer, submissionId: string): boolean {
  if (answer.kind === 'unknown' || answer.status !== 200) return false;
  return submitAnswer.safeParse(parseJson(answer.text)).data?.submission_id === submissionId;
}

function toJob(settings: RestSettings, spec: JobSpec, session: string): Job {
  return buildJob('ray', spec, session, new URL(`#/jobs/${spec.submissionId}`, settings.address).href);
}

function toSubmitOutcome({ cause, message }: NoAnswer): Rejected | Extract<SubmitOutcome, { kind: 'unknown' }> {
  return cause === 'no-token' || cause === 'wrong-token' ? reject('unauthorized', message) : unknownOutcome(message);
}

/** The dashboard accepts no larger body (ray_constants.DASHBOARD_CLIENT_MAX_SIZE). */
const RAY_PACKAGE_BYTES_MAX = 100 * 1024 * 1024;

export type UploadResult = { readonly kind: 'shipped'; readonly uri: string } | Rejected | NoAnswer;

/** Ray as the recipient of packages, with the name for messages and the size limit. */
export const RAY: PackageTarget = { name: 'Ray', zipBytesMax: RAY_PACKAGE_BYTES_MAX };

/** Digits in a name, of the 64 of a SHA-256: enough to distinguish all trees of a lab. */
const NAME_DIGITS = 40;

/**
 * `PUT /api/packages/gcs/{name}`, unless the head has the package (ray-project/ray, job_head.py, upload_package). The name
 * is a hash of the content, so a repeated or lost upload changes nothing. The check also keeps the package on the head until
 * the job starts: Ray drops unused packages after ten minutes.
 */
export async function uploadPackage(
  settings: RestSettings,
  { workingDirectory, files }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<UploadResult> {
  const zip = await zipTree(workingDirectory, files ?? null, RAY);
  if (zip.kind === 'rejected') return zip;
  const name = `_ray_pkg_${hash('sha256', zip.bytes, 'hex').slice(0, NAME_DIGITS)}.zip`;
  const path = `api/packages/gcs/${name}`;
  const shipped = { kind: 'shipped', uri: `gcs://${name}` } as const;
  const there = await call(settings, { method: 'GET', path });
  if (there.kind === 'unknown') return there;
  if (isAccepted(there)) return shipped;
  const put = await call(settings, { method: 'PUT', path, body: zip.bytes });
  if (isAccepted(put)) return shipped;
  // Perhaps only the answer was lost, not the upload.
  const again = await call(settings, { method: 'GET', path });
  if (isAccepted(again)) return shipped;
  if (put.kind === 'unknown') return put;
  const message = `the package of ${zip.bytes.length} bytes was refused: ${put.status}: ${lastLine(settings, put.text)}`;
  return put.status === 413 ? reject('refused', message) : noAnswer('lost', message);
}

/** Ray accepts a package with an empty answer. A page with status 200 comes from another program. */
function isAccepted(answer: RayAnswer): boolean {
  return answer.kind === 'answer' && answer.status === 200 && answer.text === '';
}
