/** Starts a job on a Ray cluster at most once: looks first, submits under a fixed id, and looks again when in doubt. */

import { z } from 'zod';
import { isSameJob, type Job, type JobSpec, type SubmitOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { shellLineOf } from '../../shell-line.ts';
import { metadataTexts } from '../job-identity.ts';
import { specRefusal } from '../spec-refusal.ts';
import { type Answer, ask, lastLine, type NoAnswer, scrub } from './ask.ts';
import { lookUp } from './look-up.ts';
import { readSession } from './session.ts';
import type { RestSettings } from './settings.ts';
import { shipPackage } from './ship-package.ts';

const submitAnswer = z.object({ submission_id: z.string() });

/** What a look under the id said; null: nothing is there. */
type Found = SubmitOutcome | null;

/**
 * Ray itself takes an id once a session, and says so with a 500 that it also gives for a submit of our own whose reply
 * was lost inside (ray-project/ray issue 53946). So the answer to the submit counts only when it is a plain yes; after
 * anything else the job under our id decides: ours by its metadata is adopted, a stranger's is a conflict, none is
 * `unknown`, because what was sent may still arrive.
 */
export async function submitOverRest(settings: RestSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = specRefusal(spec);
  if (refusal !== null) return refusal;
  const session = await readSession(settings);
  if (session.kind === 'unknown') return unanswered(session);
  const found = await look(settings, spec, session.id);
  if (found !== null) return found;
  if (spec.adoptOnly === true) return { kind: 'absent' };
  const shipped = await shipPackage(settings, spec);
  if (shipped.kind === 'rejected') {
    // Another runner with the same order may have been served meanwhile: its job must not be left to nobody.
    const meanwhile = await look(settings, spec, session.id);
    return meanwhile ?? rejected(shipped.code, shipped.message);
  }
  if (shipped.kind === 'unknown') return unanswered(shipped);
  const answer = await ask(settings, {
    method: 'POST',
    path: 'api/jobs/',
    body: {
      entrypoint: shellLineOf(spec.command),
      submission_id: spec.submissionId,
      metadata: metadataTexts(spec.metadata),
      runtime_env: { working_dir: shipped.uri, env_vars: spec.env },
    },
  });
  if (isYes(answer, spec.submissionId)) return { kind: 'submitted', job: jobOf(settings, spec, session.id) };
  return resolve(settings, spec, answer);
}

/** The head said no or nothing: the job under our id decides, looked for as long as what was sent may be on its way. */
async function resolve(settings: RestSettings, spec: JobSpec, answer: Answer): Promise<SubmitOutcome> {
  const values = Object.values(spec.env);
  for (const delayMs of limits.rayLookAgainDelaysMs) {
    await settings.sleep(delayMs);
    const session = await readSession(settings);
    if (session.kind === 'unknown') continue;
    const found = await look(settings, spec, session.id);
    if (found !== null && found.kind !== 'unknown') return found;
    if (found !== null) continue;
    const refusal = refusalOf(settings, answer, values);
    if (refusal !== null) return rejected(refusal.code, scrub(settings, refusal.message, values));
  }
  const why =
    answer.kind === 'unknown'
      ? answer.message
      : `${answer.status}: ${lastLine(settings, answer.text, values)}`;
  return { kind: 'unknown', message: scrub(settings, `the submit was not confirmed: ${why}`, values) };
}

/** Answers after which Ray certainly started nothing and never will for this request. */
function refusalOf(
  settings: RestSettings,
  answer: Answer,
  values: readonly string[],
): { readonly code: 'unauthorized' | 'refused'; readonly message: string } | null {
  if (answer.kind === 'unknown')
    return answer.cause === 'no-token' || answer.cause === 'wrong-token'
      ? { code: 'unauthorized', message: answer.message }
      : null;
  // 400: what we sent is no job; 405: it takes us for a browser; 413: too large.
  const isFinal = answer.status === 400 || answer.status === 405 || answer.status === 413;
  return isFinal
    ? { code: 'refused', message: `${answer.status}: ${lastLine(settings, answer.text, values)}` }
    : null;
}

async function look(settings: RestSettings, spec: JobSpec, session: string): Promise<Found> {
  const found = await lookUp(settings, spec.submissionId, session);
  if (found.kind === 'unknown') return unanswered(found);
  if (found.kind === 'missing') return null;
  const { metadata } = found.job;
  if (metadata === null || !isSameJob(metadata, spec.metadata)) return { kind: 'conflict', found: metadata };
  return { kind: 'adopted', job: jobOf(settings, spec, session) };
}

function isYes(answer: Answer, submissionId: string): boolean {
  if (answer.kind === 'unknown' || answer.status !== 200 || !answer.text.startsWith('{')) return false;
  try {
    return submitAnswer.safeParse(JSON.parse(answer.text)).data?.submission_id === submissionId;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function jobOf(settings: RestSettings, spec: JobSpec, session: string): Job {
  const url = new URL(`#/jobs/${spec.submissionId}`, settings.address).href;
  const { submissionId: jobId, metadata } = spec;
  return { engine: 'ray', jobId, metadata, session, locator: { kind: 'dashboard', url } };
}

function unanswered(answer: NoAnswer): SubmitOutcome {
  const isRefused = answer.cause === 'no-token' || answer.cause === 'wrong-token';
  return isRefused ? rejected('unauthorized', answer.message) : { kind: 'unknown', message: answer.message };
}

function rejected(
  code: Extract<SubmitOutcome, { kind: 'rejected' }>['code'],
  message: string,
): Extract<SubmitOutcome, { kind: 'rejected' }> {
  return { kind: 'rejected', code, message };
}
