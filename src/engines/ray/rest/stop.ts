/** Stops a job of a Ray cluster, and believes it only when a second look says so. */

import { z } from 'zod';
import { isTerminal, type StopOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { ask, lastLine, scrub } from './ask.ts';
import { isJobId, lookUp, saysMissing } from './look-up.ts';
import type { RestSettings } from './settings.ts';

const stopAnswer = z.object({ stopped: z.boolean() });

/**
 * `POST /api/jobs/{id}/stop` only hands the wish on; a job that is PENDING may never hear of it (ray-project/ray
 * issue 58353), whatever the answer says. So the job is looked at before, to tell *ended already* from *stopped*, and
 * after, until it has ended or the time is over.
 */
export async function stopOverRest(settings: RestSettings, jobId: string): Promise<StopOutcome> {
  if (!isJobId(jobId)) return { kind: 'absent' };
  const before = await lookUp(settings, jobId, null);
  if (before.kind === 'unknown') return { kind: 'unknown', message: before.message };
  if (before.kind === 'missing') return { kind: 'absent' };
  if (isTerminal(before.job.status)) return { kind: 'already-ended', status: before.job.status };
  const answer = await ask(settings, { method: 'POST', path: `api/jobs/${jobId}/stop` });
  if (answer.kind === 'answer' && saysMissing(answer, jobId)) return { kind: 'absent' };
  if (answer.kind === 'answer' && answer.status === 400)
    return { kind: 'unknown', message: `Ray stops no job of this kind: ${lastLine(settings, answer.text)}` };
  const said = saidOf(settings, answer);
  return awaitEnd(settings, jobId, scrub(settings, said));
}

function saidOf(settings: RestSettings, answer: Awaited<ReturnType<typeof ask>>): string {
  if (answer.kind === 'unknown') return `the wish may not have arrived: ${answer.message}`;
  if (answer.status !== 200)
    return `the wish was refused: ${answer.status}: ${lastLine(settings, answer.text)}`;
  try {
    const isHandedOn = stopAnswer.safeParse(JSON.parse(answer.text)).data?.stopped === true;
    return isHandedOn ? 'Ray has handed the wish on' : 'Ray found nobody to hand the wish to';
  } catch (error) {
    if (error instanceof SyntaxError) return 'the answer to the wish could not be read';
    throw error;
  }
}

async function awaitEnd(settings: RestSettings, jobId: string, said: string): Promise<StopOutcome> {
  let last: StopOutcome = { kind: 'unknown', message: said };
  for (let waitedMs = 0; waitedMs <= limits.jobStopWaitMs; waitedMs += limits.rayStopPollMs) {
    const now = await lookUp(settings, jobId, null);
    if (now.kind === 'there') {
      const { status } = now.job;
      if (status === 'STOPPED') return { kind: 'stopped' };
      if (isTerminal(status)) return { kind: 'already-ended', status };
      last = { kind: 'stopping', message: `${said}; the job is still ${status}` };
    } else if (now.kind === 'unknown') last = { kind: 'unknown', message: `${said}; then: ${now.message}` };
    // Somebody deleted its record, which takes a job that has ended; or the head restarted. Neither says how it ended.
    else return { kind: 'absent' };
    await settings.sleep(limits.rayStopPollMs);
  }
  return last;
}
