/** Starts a job on a Ray cluster at most once: checks first, submits under a fixed id, and checks again when in doubt. */

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Job, JobSpec, SubmitOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { jsonIn } from '../../../domain/values.ts';
import {
  conflictWith,
  identityTexts,
  jobAt,
  type Rejected,
  rejected,
  shellLineOf,
  submitOnce,
  unknownBecause,
} from '../../shared/kit.ts';
import { type Taker, zipTree } from '../../shared/package-files.ts';
import { IN_METADATA, raySpecRefusal } from '../job-details.ts';
import {
  type Answer,
  ask,
  lastLine,
  lookUp,
  type NoAnswer,
  noAnswer,
  type RestSettings,
  readSession,
  scrub,
} from './ask.ts';

const submitAnswer = z.object({ submission_id: z.string() });

/**
 * Ray accepts an id once per session. It refuses a repeated id with a 500, and also answers 500 if its reply to our submit was lost inside
 * Ray (ray-project/ray issue 53946). So only a success counts. After any other answer the job under our id decides: one with our metadata
 * is adopted, another one is a conflict, none is `unknown`, because the request may still arrive.
 */
export async function submitOverRest(settings: RestSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = raySpecRefusal(spec);
  if (refusal !== null) return refusal;
  let session = '';
  return submitOnce(spec, {
    look: async () => {
      const now = await readSession(settings);
      if (now.kind === 'unknown') return unanswered(now);
      session = now.id;
      return look(settings, spec, session);
    },
    send: () => send(settings, spec, session),
    sleep: settings.sleep,
    lookAgainMs: limits.rayLookAgainDelaysMs,
  });
}

/** Answers after which Ray started nothing. 400: not a valid job; 405: Ray takes us for a browser; 413: too large. */
const FINAL: readonly number[] = [400, 405, 413];

async function send(settings: RestSettings, spec: JobSpec, session: string): Promise<SubmitOutcome> {
  const shipped = await shipPackage(settings, spec);
  if (shipped.kind === 'rejected') return shipped;
  if (shipped.kind === 'unknown') return unanswered(shipped);
  const answer = await ask(settings, {
    method: 'POST',
    path: 'api/jobs/',
    body: {
      entrypoint: shellLineOf(spec.command),
      submission_id: spec.submissionId,
      metadata: identityTexts(spec.metadata, IN_METADATA),
      runtime_env: { working_dir: shipped.uri, env_vars: spec.env },
    },
  });
  const values = Object.values(spec.env);
  if (answer.kind === 'unknown') return unanswered({ ...answer, message: scrub(settings, answer.message, values) });
  if (isYes(answer, spec.submissionId)) return { kind: 'submitted', job: jobOf(settings, spec, session) };
  const message = `${answer.status}: ${lastLine(settings, answer.text, values)}`;
  return FINAL.includes(answer.status) ? rejected('refused', message) : unknownBecause(message);
}

async function look(settings: RestSettings, spec: JobSpec, session: string): Promise<SubmitOutcome | null> {
  const found = await lookUp(settings, spec.submissionId, session);
  if (found.kind === 'unknown') return unanswered(found);
  if (found.kind === 'missing') return null;
  return conflictWith(found.job.metadata, spec) ?? { kind: 'adopted', job: jobOf(settings, spec, session) };
}

function isYes(answer: Answer, submissionId: string): boolean {
  if (answer.kind === 'unknown' || answer.status !== 200) return false;
  return submitAnswer.safeParse(jsonIn(answer.text)).data?.submission_id === submissionId;
}

function jobOf(settings: RestSettings, spec: JobSpec, session: string): Job {
  return jobAt('ray', spec, session, new URL(`#/jobs/${spec.submissionId}`, settings.address).href);
}

function unanswered({ cause, message }: NoAnswer): Rejected | Extract<SubmitOutcome, { kind: 'unknown' }> {
  return cause === 'no-token' || cause === 'wrong-token' ? rejected('unauthorized', message) : unknownBecause(message);
}

/** The dashboard accepts no larger body (ray_constants.DASHBOARD_CLIENT_MAX_SIZE). */
const RAY_PACKAGE_BYTES_MAX = 100 * 1024 * 1024;

export type Shipped = { readonly kind: 'shipped'; readonly uri: string } | Rejected | NoAnswer;

/** Ray as the recipient of packages, with the name for messages and the size limit. */
export const RAY: Taker = { name: 'Ray', zipBytesMax: RAY_PACKAGE_BYTES_MAX };

/** Digits in a name, of the 64 of a SHA-256: enough to distinguish all trees of a lab. */
const NAME_DIGITS = 40;

/**
 * `PUT /api/packages/gcs/{name}`, unless the head has the package (ray-project/ray, job_head.py, upload_package). The name
 * is a hash of the content, so a repeated or lost upload changes nothing. The check also keeps the package on the head until
 * the job starts: Ray drops unused packages after ten minutes.
 */
export async function shipPackage(
  settings: RestSettings,
  { workingDirectory, files }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<Shipped> {
  const zip = await zipTree(workingDirectory, files ?? null, RAY);
  if (zip.kind === 'rejected') return zip;
  const name = `_ray_pkg_${hash('sha256', zip.bytes, 'hex').slice(0, NAME_DIGITS)}.zip`;
  const path = `api/packages/gcs/${name}`;
  const shipped = { kind: 'shipped', uri: `gcs://${name}` } as const;
  const there = await ask(settings, { method: 'GET', path });
  if (there.kind === 'unknown') return there;
  if (isAccepted(there)) return shipped;
  const put = await ask(settings, { method: 'PUT', path, body: zip.bytes });
  if (isAccepted(put)) return shipped;
  // Perhaps only the answer was lost, not the upload.
  const again = await ask(settings, { method: 'GET', path });
  if (isAccepted(again)) return shipped;
  if (put.kind === 'unknown') return put;
  const message = `the package of ${zip.bytes.length} bytes was refused: ${put.status}: ${lastLine(settings, put.text)}`;
  return put.status === 413 ? rejected('refused', message) : noAnswer('lost', message);
}

/** Ray accepts a package with an empty answer. A page with status 200 comes from another program. */
function isAccepted(answer: Answer): boolean {
  return answer.kind === 'answer' && answer.status === 200 && answer.text === '';
}
